import { hasTexts, t } from '../i18n/i18n.ts'

/** How long the overlay takes to fade, in milliseconds: as in its style in index.html. */
const fadeTime = 200

/** What index.html shows until the first screen is there. It works before, and without, the program. */
const overlay = document.getElementById('loading')

/** The program has come. From here on it decides what the overlay says. */
export function takeOverOverlay(): void {
  overlay?.setAttribute('data-begun', '')
}

/** Says that the server cannot be reached, with a way to try again. */
export function showUnreachable(): void {
  overlay?.dispatchEvent(new Event('fail'))
  if (overlay === null || !hasTexts()) return
  const texts = { h1: t('errors.connection'), p: t('errors.connectionText'), button: t('buttons.tryAgain') }
  for (const [element, text] of Object.entries(texts)) overlay.querySelector(element)?.replaceChildren(text)
}

/** The first screen is there. */
export function removeOverlay(): void {
  if (overlay === null || overlay.classList.contains('done')) return
  overlay.classList.add('done')
  overlay.inert = true
  setTimeout(() => overlay.remove(), fadeTime)
}

/** Resolves once the style sheets of the page have come; rejects when one has not. */
export async function stylesLoaded(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('head > link[rel="stylesheet"]')]
  await Promise.all(links.filter(({ sheet }) => sheet === null).map(loaded))
}

const loaded = (link: HTMLLinkElement): Promise<unknown> =>
  new Promise((resolve, reject) => {
    link.addEventListener('load', resolve)
    link.addEventListener('error', () => reject(new Error(`The style sheet ${link.href} did not come`)))
  })
