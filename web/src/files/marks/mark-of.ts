import { extensionOf } from '@filestead/contract'
import type { FileMarkName } from '../../ui/file-marks.tsx'

/** By extension. The type that the server has found comes first. */
const groups: Partial<Record<FileMarkName, string>> = {
  slides: 'ppt pptx pptm pps ppsx odp key',
  sheet: 'xls xlsx xlsm xlsb ods numbers csv tsv db sqlite sqlite3 mdb accdb',
  doc: 'doc docx docm odt rtf pages epub mobi azw3 djvu tex',
  code: 'js mjs cjs ts tsx jsx json jsonc yml yaml toml xml html htm css scss less py rb go rs c h cc cpp hpp java kt swift php pl lua sql vue svelte ipynb r cs dart ex exs hs clj scala zig nix gradle',
  exec: 'sh bash zsh fish bat cmd ps1 exe bin run appimage com jar wasm',
  archive: 'zip tar gz tgz bz2 tbz2 xz txz lz4 sz br zst 7z rar deb rpm apk msi pkg cab',
  disk: 'iso img dmg vhd vhdx vmdk qcow2 vdi',
  font: 'ttf otf woff woff2 eot',
  pdf: 'pdf',
  audio: 'mp3 flac ogg oga opus wav m4a aac wma aiff mid',
  video: 'mp4 m4v mkv webm mov avi mpg mpeg wmv flv ogv',
  text: 'txt md markdown log ini conf cfg nfo srt vtt ass',
  image: 'jpg jpeg png gif webp bmp tif tiff ico psd ai xd sketch fig drawio dwg dxf cr2 nef dng arw heic avif svg',
}

const byExtension = new Map<string, FileMarkName>(
  Object.entries(groups).flatMap(([mark, extensions]) =>
    extensions.split(' ').map((extension) => [`.${extension}`, mark as FileMarkName] as const),
  ),
)

/** The name is always known, the type only where the server has sent it. */
interface Marked {
  name: string
  isDir?: boolean
  type?: string
}

/** The text that names the type of an entry. */
export function typeKeyOf(entry: Marked) {
  const mark = markOf(entry)
  return `files.types.${mark === 'folder-open' ? 'folder' : mark}` as const
}

/** The mark of an entry: the extension knows more than the type, except about pictures, music, films and links. */
export function markOf({ isDir = false, type = '', name }: Marked): FileMarkName {
  if (type === 'invalid_link') return 'broken'
  if (isDir) return 'folder'
  if (type === 'image' || type === 'video' || type === 'audio' || type === 'pdf') return type
  const known = byExtension.get(extensionOf(name).toLowerCase())
  if (known !== undefined) return known
  return type === 'text' || type === 'textImmutable' ? 'text' : 'generic'
}
