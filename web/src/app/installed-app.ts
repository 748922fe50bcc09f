import { hrefOf } from '../navigation/location.ts'

/**
 * An app that was put on the home screen has no browser around it that could say "no connection", so it gets a helper
 * that does. In a tab the browser says it, and nothing of ours stands between the page and the network.
 */
export function watchInstalledApp(): void {
  if (!matchMedia('(display-mode: standalone)').matches || !('serviceWorker' in navigator)) return
  // Without it the app works just as well; only the words are missing.
  navigator.serviceWorker.register(hrefOf('/service-worker.js')).catch(() => {})
}
