/** 'light' and 'dark' are held; anything else follows the system. */
export function applyTheme(theme: string): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
}

/** Makes the configured colour the accent and the colour of the browser's own frame. */
export function applyBrandColor(color: string): void {
  if (!CSS.supports('color', color)) return
  document.documentElement.style.setProperty('--brand', color)
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', color)
}
