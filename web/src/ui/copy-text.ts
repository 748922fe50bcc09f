/** Why a text did not reach the clipboard. */
export class CopyFailure extends Error {
  override readonly name = 'CopyFailure'

  constructor(readonly reason: 'empty' | 'denied' | 'unsupported') {
    super(`Copying failed: ${reason}`)
  }
}

/** Puts a text on the clipboard, or throws a CopyFailure. To be called while the browser still counts a click. */
export async function copyText(text: string): Promise<void> {
  if (text === '') throw new CopyFailure('empty')
  // Over plain http browsers hide the modern way; the old one still works there.
  if (!isSecureContext || navigator.clipboard === undefined) return copyBySelection(text)
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    throw new CopyFailure('denied')
  }
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.ariaHidden = 'true'
  area.style.cssText = 'position: fixed; inset: 0 auto auto 0; opacity: 0'
  const focused = document.activeElement
  // Inside the open dialog, where there is one: elsewhere its focus trap would take the focus right back.
  const host = focused?.closest('[role="dialog"], [role="alertdialog"]') ?? document.body
  host.append(area)
  area.select()
  try {
    if (!document.execCommand('copy')) throw new CopyFailure('denied')
  } catch (error) {
    throw error instanceof CopyFailure ? error : new CopyFailure('unsupported')
  } finally {
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}
