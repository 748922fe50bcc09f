import { parentOf, type Resource } from '@filestead/contract'
import { type ReactNode, useEffect, useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { readBytes } from '../../server/queries/resources.ts'
import { Editor } from './Editor.tsx'
import { decodeText, lineBreakOf, type TextFile } from './text-file.ts'

interface Loaded {
  text: TextFile
  version: string | null
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
      setLoaded({ text: decodeText(bytes, encoding), version })
      return true
    } catch (error) {
      showFailure(error)
      return false
    }
  }

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
  // Another version, or another encoding, is another editor.
  const key = `${loaded.version} ${loaded.text.encoding}`
  return (
    <Editor
      key={key}
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
  return { text, version }
}
