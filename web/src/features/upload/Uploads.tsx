import { type ChangeEvent, lazy, Suspense, useEffect } from 'react'
import { isAsking } from '../../prompts/prompts.ts'
import { DropZone } from './DropZone.tsx'
import { fileFieldId, folderFieldId } from './fields.ts'
import { hasKept } from './kept-database.ts'
import { fromField, fromTransfer } from './picked.ts'
import { folderInView, takeFiles, useIsAwake, wake } from './take-files.ts'

const Tray = lazy(async () => ({ default: (await import('./Tray.tsx')).Tray }))

/** Everything about uploads that outlives a change of screens. For those who may create files. */
export function Uploads() {
  const isAwake = useIsAwake()
  usePastedFiles()
  useEffect(() => {
    if (hasKept()) wake()
  }, [])
  return (
    <>
      <input hidden type="file" id={fileFieldId} multiple onChange={takeChosen} />
      <input hidden type="file" id={folderFieldId} multiple ref={chooseFolders} onChange={takeChosen} />
      <DropZone />
      {isAwake && (
        <Suspense fallback={null}>
          <Tray />
        </Suspense>
      )}
    </>
  )
}

/** React does not know the attribute. */
function chooseFolders(field: HTMLInputElement | null): void {
  field?.setAttribute('webkitdirectory', '')
}

function takeChosen(event: ChangeEvent<HTMLInputElement>): void {
  const field = event.currentTarget
  const picked = fromField([...(field.files ?? [])])
  // Choosing the same file again must count as a choice.
  field.value = ''
  void takeFiles(Promise.resolve({ picked, unreadable: [] }), folderInView())
}

/** Files from the system's clipboard, such as a picture of the screen. */
function usePastedFiles(): void {
  useEffect(() => {
    function onPaste(event: ClipboardEvent) {
      const items = [...(event.clipboardData?.items ?? [])]
      if (event.defaultPrevented || isAsking() || !items.some(({ kind }) => kind === 'file')) return
      if (event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]') !== null) return
      event.preventDefault()
      void takeFiles(fromTransfer(items), folderInView())
    }
    addEventListener('paste', onPaste)
    return () => removeEventListener('paste', onPaste)
  }, [])
}
