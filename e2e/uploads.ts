import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Locator, Page, Route } from '@playwright/test'
import { callApi } from './people.ts'
import { type Product, test } from './product.ts'

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

/** Requests of this kind to the upload addresses wait until they are let go, to look at what happens meanwhile. */
export async function holdUploads(page: Page, isHeld: (route: Route) => boolean) {
  const waiting: Route[] = []
  let isOpen = false
  let isFirst = () => {}
  const held = new Promise<void>((resolve) => {
    isFirst = resolve
  })
  await page.route(/\/api\/(tus\/|uploads$)/, async (route) => {
    if (isOpen || !isHeld(route)) return route.fallback()
    waiting.push(route)
    isFirst()
  })
  return {
    /** The first one has come. */
    held,
    count: () => waiting.length,
    /** As if the line were cut. */
    async abort() {
      isOpen = true
      for (const route of waiting.splice(0)) await route.abort()
    },
    async release() {
      isOpen = true
      for (const route of waiting.splice(0)) await route.continue().catch(() => {})
    },
  }
}

export const isPatch = (route: Route): boolean => route.request().method() === 'PATCH'

/** A small file is created and filled by one request. */
export const carriesBytes = (route: Route): boolean =>
  route.request().headers()['content-type'] === 'application/offset+octet-stream'

/** Many small files in one request. */
export const isBatch = (route: Route): boolean => route.request().url().endsWith('/api/uploads')

/** Too large to be sent together with other files, and small enough to be sent with its creation, in bytes. */
export const medium = 150 * 1024

/** Too large to be sent with its creation, in bytes. */
export const large = 300 * 1024

/** Files and folders of the disk, dragged in by the system: over the middle of an element, and let go if wanted. */
export async function dragIn(page: Page, onto: Locator, paths: string[]) {
  const box = await onto.boundingBox()
  if (box === null) throw new Error('Nothing to drop onto')
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  const session = await page.context().newCDPSession(page)
  const send = (type: 'dragEnter' | 'dragOver' | 'drop' | 'dragCancel') =>
    session.send('Input.dispatchDragEvent', { type, ...point, data })
  await send('dragEnter')
  await send('dragOver')
  return { drop: () => send('drop'), leave: () => send('dragCancel') }
}

/** Small pieces make many requests of a small file. */
export function sendPiecesOf(size: number): void {
  test.beforeAll(({ product }) => setPieceSize(product, size))
  test.afterAll(({ product }) => setPieceSize(product, 10 * 1024 * 1024))
}

/** Applies to pages that are opened afterwards. */
async function setPieceSize(product: Product, chunkSize: number): Promise<void> {
  const settings = await (await callApi(product, 'GET', 'settings')).json()
  await callApi(product, 'PUT', 'settings', { ...settings, tus: { ...settings.tus, chunkSize } })
}
