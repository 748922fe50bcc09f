const dark = matchMedia('(prefers-color-scheme: dark)')
/** The page begins with one, which stands before the first paint. */
let chosen = document.documentElement.dataset.wantedTheme

/** 'light' and 'dark' are held; anything else follows the system, also when the system changes its mind. */
export function applyTheme(theme: string): void {
  chosen = theme
  show()
}

dark.addEventListener('change', show)

function show(): void {
  const { classList, dataset } = document.documentElement
  const shown = chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light'
  dataset.theme = shown
  // Installed custom style sheets hang on these classes.
  classList.toggle('dark', shown === 'dark')
  classList.toggle('light', shown === 'light')
}

/** Makes the configured colour the accent and the colour of the browser's own frame. */
export function applyBrandColor(color: string): void {
  if (!CSS.supports('color', color)) return
  document.documentElement.style.setProperty('--brand', color)
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', color)
}
