import type { Ask } from './server.ts'

/** Sends every kind of request for a path, with `/bait.txt` beside it; returns the status of each that is not refused. */
export async function notRefused(ask: Ask, path: string): Promise<Record<string, number>> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const requests: Record<string, () => Promise<Response>> = {
    read: () => ask(`/api/raw${path}`),
    stat: () => ask(`/api/resources${path}`),
    sum: () => ask(`/api/resources${path}?checksum=md5`),
    preview: () => ask(`/api/preview/big${path}`),
    share: () => ask(`/api/share${path}`, { method: 'POST', body: '{}' }),
    save: () => ask(`/api/resources${path}`, { method: 'PUT', body: '{"root":"/"}' }),
    upload: () => ask(`/api/resources${path}?override=true`, { method: 'POST', body: '{"root":"/"}' }),
    tus: () =>
      ask(`/api/tus${path}?override=true`, {
        method: 'POST',
        headers: { 'upload-length': '3', 'tus-resumable': '1.0.0' },
      }),
    folder: () => ask(`/api/resources${path}/`, { method: 'POST' }),
    below: () => ask(`/api/resources${path}/below.txt`, { method: 'POST', body: 'x' }),
    copy: () => ask(`/api/resources${path}?action=copy&destination=/taken-${name}`, { method: 'PATCH' }),
    rename: () => ask(`/api/resources${path}?action=rename&destination=/taken-${name}`, { method: 'PATCH' }),
    copyOnto: () => ask(`/api/resources/bait.txt?action=copy&destination=${path}&override=true`, { method: 'PATCH' }),
    renameOnto: () =>
      ask(`/api/resources/bait.txt?action=rename&destination=${path}&override=true`, { method: 'PATCH' }),
    remove: () => ask(`/api/resources${path}`, { method: 'DELETE' }),
  }
  const answers: Record<string, number> = {}
  for (const [what, request] of Object.entries(requests)) {
    const answer = await request()
    await answer.arrayBuffer()
    if (![400, 403, 404, 409].includes(answer.status)) answers[what] = answer.status
  }
  return answers
}
