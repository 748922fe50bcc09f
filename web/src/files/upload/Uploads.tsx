import { type ChangeEvent, useEffect } from 'react'
import { isAsking } from '../../dialogs/ask.ts'
import { Apart } from '../../errors/Apart.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { fileFieldId, folderFieldId, folderInView, takeFiles } from './entry-points.ts'
import { hasKept } from './kept-database.ts'
import { fromField, fromTransfer } from './picked-files.ts'

const DropZone = lazyPart(async () => (await import('./DropZone.tsx')).DropZone)

/** Everything that takes files, on every screen. For accounts that may create files. */
export function Uploads() {
  usePastedFiles()
  useEffect(() => {
    if (hasKept()) void offerInterrupted()
  }, [])
  return (
    <>
      <input hidden type="file" id={fileFieldId} multiple onChange={takeChosen} />
      <input hidden type="file" id={folderFieldId} multiple ref={chooseFolders} onChange={takeChosen} />
      <Apart>
        <DropZone />
      </Apart>
    </>
  )
}

/** Where it cannot be loaded, the next page offers them. */
async function offerInterrupted(): Promise<void> {
  const [resume, activity] = await Promise.all([import('./resume.ts'), import('./upload-activity.ts')]).catch(() => [])
  activity?.listUploads()
  await resume?.findInterrupted()
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
  void takeFiles(picked, folderInView())
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
