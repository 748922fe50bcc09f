/** In and out of the full screen. Telephones of one make can only do this with the film itself. */
export function fillScreen(screen: HTMLElement | null, video: HTMLVideoElement | null): void {
  if (document.fullscreenElement !== null) return void document.exitFullscreen()
  if (typeof screen?.requestFullscreen === 'function') return void screen.requestFullscreen().catch(() => {})
  const phone = video as (HTMLVideoElement & { webkitEnterFullscreen?: () => void }) | null
  phone?.webkitEnterFullscreen?.()
}
