import { parentOf, type Resource } from '@filestead/contract'
import { type ReactNode, useEffect, useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { cache } from '../../server/queries/cache.ts'
import { readBytes } from '../../server/queries/contents.ts'
import { resourceKey } from '../../server/queries/resources.ts'
import { Editor } from './Editor.tsx'
import { decodeText, lineBreakOf, type TextFile } from './text-file.ts'
import { useWhenReplaced } from './when-replaced.ts'

interface Loaded {
  text: TextFile
  version: string | null
  /** How often it was read. A version says too little: a restored one can be the very one that the editor began with. */
  reading: number
}

interface TextFileLoaderProps {
  file: Resource & { version?: string }
  /** The way to its folder, shown above the text. */
  crumbs: ReactNode
  /** Shown until the text is read. */
  waiting: ReactNode
}

/** Finds out the encoding of the text, then opens it in the editor. */
export function TextFileLoader({ file, crumbs, waiting }: TextFileLoaderProps) {
  const [loaded, setLoaded] = useState<Loaded | null>(() => fromContent(file))

  async function load(encoding?: string, signal?: AbortSignal): Promise<boolean> {
    try {
      const { bytes, version } = await readBytes(file.path, signal)
      const text = decodeText(bytes, encoding)
      setLoaded((before) => ({ text, version, reading: (before?.reading ?? 0) + 1 }))
      return true
    } catch (error) {
      showFailure(error)
      return false
    }
  }

  useWhenReplaced(file.path, () => {
    void load()
    void cache().invalidateQueries({ queryKey: resourceKey(file.path), exact: true })
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: once; the editor asks for later loads
  useEffect(() => {
    if (loaded !== null) return
    const leaving = new AbortController()
    void load(undefined, leaving.signal).then((isLoaded) => {
      // Without a text there is nothing to show, so back to the folder; unless the page has left the file meanwhile.
      if (!isLoaded && !leaving.signal.aborted) void navigate(folderAddress(parentOf(file.path)), { replace: true })
    })
    return () => leaving.abort()
  }, [])

  if (loaded === null) return waiting
  // What was read again is another editor.
  return (
    <Editor
      key={loaded.reading}
      file={file}
      text={loaded.text}
      version={loaded.version}
      crumbs={crumbs}
      onReload={(encoding) => load(encoding)}
    />
  )
}

/**
 * The listing of a file already carries its text. It is enough when it was plain UTF-8; a replacement mark or a byte
 * order mark means that the bytes have to be looked at.
 */
function fromContent(file: Resource & { version?: string }): Loaded | null {
  const { content, version } = file
  if (content === undefined || version === undefined || /[\uFFFD\uFEFF\0]/.test(content)) return null
  const text: TextFile = {
    text: content,
    encoding: 'utf-8',
    hasByteOrderMark: false,
    lineBreak: lineBreakOf(content),
  }
  return { text, version, reading: 0 }
}
