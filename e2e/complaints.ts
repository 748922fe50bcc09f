import type { Page } from '@playwright/test'

/** Console errors, uncaught errors, blocked content and requests to other origins, as they come. */
export async function listenForComplaints(page: Page): Promise<string[]> {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') complaints.push(`Foreign request: ${request.url()}`)
  })
  // Thrown, a blocked request arrives with the uncaught errors.
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      throw new Error(`Blocked by policy: ${JSON.stringify(event, ['violatedDirective', 'blockedURI'])}`)
    })
  })
  return complaints
}
