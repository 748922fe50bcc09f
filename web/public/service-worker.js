// Registered for installed apps only. Does one thing: where a page cannot be had, it shows the one that says so.
const page = new URL('static/offline.html', self.registration.scope).href
const cacheName = 'offline-1'

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.add(page)))
  self.skipWaiting()
})

self.addEventListener('activate', (event) => {
  const others = caches.keys().then((names) => names.filter((name) => name !== cacheName))
  event.waitUntil(others.then((names) => Promise.all(names.map((name) => caches.delete(name)))))
})

self.addEventListener('fetch', (event) => {
  const isApi = event.request.url.startsWith(new URL('api/', self.registration.scope).href)
  if (event.request.mode !== 'navigate' || isApi) return
  event.respondWith(fetch(event.request).catch(() => caches.match(page)))
})
