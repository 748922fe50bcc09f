import { parentOf, type Resource } from '@filestead/contract'
import { type ReactNode, useEffect, useState } from 'react'
import { readBytes } from '../../api/resources.ts'
import { showFailure } from '../../api/show-failure.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { EditorScreen } from './EditorScreen.tsx'
import { decodeText, lineBreakOf, type TextFile } from './text-file.ts'

interface Loaded {
  text: TextFile
  version: string | null
}

interface EditorProps {
  file: Resource & { version?: string }
  /** Stands here until it is read. */
  waiting: ReactNode
}

/** Finds out how the text is written, then opens it. */
export function Editor({ file, waiting }: EditorProps) {
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: once; later loads are asked for by the person
  useEffect(() => {
    if (loaded !== null) return
    const leaving = new AbortController()
    void load(undefined, leaving.signal).then((isLoaded) => {
      // There is nothing to show then, so back to where there is; unless somebody has gone elsewhere meanwhile.
      if (!isLoaded && !leaving.signal.aborted) void navigate(folderAddress(parentOf(file.path)), { replace: true })
    })
    return () => leaving.abort()
  }, [])

  if (loaded === null) return waiting
  // Another version, or the same one read in another way, is edited from its beginning.
  const key = `${loaded.version} ${loaded.text.encoding}`
  return (
    <EditorScreen
      key={key}
      file={file}
      text={loaded.text}
      version={loaded.version}
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
