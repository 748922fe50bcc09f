import { hrefOf } from '../navigation/location.ts'

/**
 * An installed app has no browser around it that reports a lost connection, so a service worker does. In a tab the
 * browser reports it, and nothing stands between the page and the network.
 */
export function watchInstalledApp(): void {
  if (!matchMedia('(display-mode: standalone)').matches || !('serviceWorker' in navigator)) return
  // Without it the app works as well; only the message is missing.
  navigator.serviceWorker.register(hrefOf('/service-worker.js')).catch(() => {})
}
