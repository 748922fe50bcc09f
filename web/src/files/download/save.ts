import { t } from '../../i18n/i18n.ts'
import { toastError } from '../../ui/toasts.ts'
import { type ArchiveFormat, archiveAddress, wiredFormat } from './archive-address.ts'

/** Servers and proxies refuse longer addresses. */
const longest = 8000

/** The browser downloads by itself, with the session's cookie, and names the file as the server says. */
export function saveFile(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}

interface Archive {
  /** The address of the folder. */
  folder: string
  /** The entries in it; none for all of it. */
  names: readonly string[]
  format: ArchiveFormat
  /** For requests that cannot be authenticated by the cookie. */
  token?: string | null | undefined
}

/** By an address, which a browser can go on with after a lost connection; by a form where that would be too long. */
export function saveArchive({ folder, names, format, token }: Archive): void {
  const address = archiveAddress(folder, names, format)
  if (address.length <= longest) {
    saveFile(address)
    return
  }
  const fields = names.map((name): [string, string] => ['files', name])
  // A form cannot send a header, and a cookie counts only for what is asked by its address. The token stands first: the
  // server reads only the beginning of a form before it has authenticated it.
  const auth = token == null ? [] : [['auth', token] satisfies [string, string]]
  sendForm(folder, [...auth, ['algo', wiredFormat(format)], ...fields])
}

/** A frame is not told that its download has begun: it stays until so many others have come after it. */
const mostFrames = 4

/** Into a hidden frame: a download leaves it empty, and a refusal does not replace the page. */
function sendForm(address: string, fields: readonly [name: string, value: string][]): void {
  for (const old of [...document.querySelectorAll('iframe[name^="download-"]')].slice(0, 1 - mostFrames)) old.remove()
  const frame = document.createElement('iframe')
  frame.name = `download-${Date.now()}`
  frame.hidden = true
  document.body.append(frame)
  frame.addEventListener('load', () => {
    // Some browsers also tell that the empty frame is there.
    if (frame.contentDocument?.URL === 'about:blank') return
    frame.remove()
    toastError(t('failures.internal'))
  })
  const form = document.createElement('form')
  Object.assign(form, { method: 'post', action: address, target: frame.name, hidden: true })
  for (const [name, value] of fields) form.append(Object.assign(document.createElement('input'), { name, value }))
  document.body.append(form)
  form.submit()
  form.remove()
}
