/** Keys that are pressed before there is a field for them: a text, and perhaps Enter after it. */
export class TypedAhead {
  #text = ''
  #isEntered = false

  hear(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || this.#isEntered) return
    if (event.key === 'Enter') this.#isEntered = this.#text !== ''
    else if (event.key === 'Backspace') this.#text = [...this.#text].slice(0, -1).join('')
    else if (event.key.length === 1) this.#text += event.key
  }

  /** Whatever gets the focus next is what they were meant for, if it takes text at all. */
  giveToNextFocus(): void {
    if (this.#text === '') return
    addEventListener(
      'focusin',
      ({ target }) => {
        if (!(target instanceof HTMLInputElement)) return
        // At once: the keys that follow are on their way, and come after these.
        document.execCommand('insertText', false, this.#text)
        if (this.#isEntered) setTimeout(() => target.form?.requestSubmit())
      },
      { once: true },
    )
  }
}
