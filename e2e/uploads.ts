import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Locator, Page, Route } from '@playwright/test'

export const tray = (page: Page): Locator => page.getByRole('region', { name: 'Uploads' })

export const job = (page: Page, name: string): Locator =>
  tray(page).getByRole('list', { name: 'Upload list' }).getByRole('listitem', { name, exact: true })

export const finished = (page: Page): Locator => tray(page).getByRole('heading', { name: 'Uploads finished' })

export const textFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

export const bigFile = (name: string, size: number) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: randomBytes(size),
})

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const sha256Of = async (path: string): Promise<string> => sha256(await readFile(path))

/** Requests with this method to the upload address wait until they are let go, to look at what happens meanwhile. */
export async function holdUploads(page: Page, isHeld: (route: Route) => boolean) {
  let waiting: Route[] = []
  let isOpen = false
  let isFirst = () => {}
  const held = new Promise<void>((resolve) => {
    isFirst = resolve
  })
  await page.route('**/api/tus/**', async (route) => {
    if (isOpen || !isHeld(route)) return route.continue()
    waiting.push(route)
    isFirst()
  })
  return {
    /** The first one has come. */
    held,
    count: () => waiting.length,
    async release() {
      isOpen = true
      const all = waiting
      waiting = []
      for (const route of all) await route.continue().catch(() => {})
    },
  }
}

export const isPatch = (route: Route): boolean => route.request().method() === 'PATCH'

/** Drops files onto an element as the system would: entering the window, over the element, letting go. */
export async function dropFiles(page: Page, onto: Locator, files: { name: string; text: string }[]): Promise<void> {
  const transfer = await page.evaluateHandle((wanted) => {
    const data = new DataTransfer()
    for (const { name, text } of wanted) data.items.add(new File([text], name, { lastModified: 1_700_000_000_000 }))
    return data
  }, files)
  await dragFiles(onto, transfer, ['dragenter', 'dragover', 'drop'])
}

export async function dragFiles(
  onto: Locator,
  dataTransfer: Awaited<ReturnType<Page['evaluateHandle']>>,
  types: readonly string[],
): Promise<void> {
  for (const type of types) await onto.dispatchEvent(type, { dataTransfer, bubbles: true, cancelable: true })
}
