import type { FileJob } from './queue.ts'

/** The size of every file that these tests send: too large to be sent with its creation. */
export const size = 400 * 1024

export const job = (name: string, type = ''): FileJob => ({
  kind: 'file',
  id: name,
  path: `/${name}`,
  name,
  into: '/',
  size,
  file: new File([new Uint8Array(size)], name, { lastModified: 1, type }),
  override: false,
  url: null,
  handle: null,
  kept: null,
})

/** Small enough to be sent together with others. */
export const smallJob = (name: string): FileJob => ({
  ...job(name),
  size: 5,
  file: new File(['hello'], name, { lastModified: 1 }),
})

/** Waits for what no promise tells of. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(1)
}

/** Stands in for XMLHttpRequest where uploads are tested: requests wait until the test answers them. */
let pending: FakeRequest[] = []

export class FakeRequest {
  readonly upload = {}
  method = ''
  address = ''
  status = 0
  statusText = ''
  responseText = ''
  onload = () => {}
  isAborted = false
  body: Blob | null = null
  #headers = ''

  open(method: string, address: string): void {
    Object.assign(this, { method, address })
  }

  setRequestHeader(): void {}

  getAllResponseHeaders(): string {
    return this.#headers
  }

  send(body: Blob | null = null): void {
    this.body = body
    pending.push(this)
  }

  abort(): void {
    if (pending.includes(this)) this.isAborted = true
    pending = pending.filter((request) => request !== this)
  }

  /** As the server does it; a header that is null is not there. */
  answer(status: number, headers: Record<string, string | number | null> = {}, body = ''): void {
    pending = pending.filter((request) => request !== this)
    this.status = status
    this.responseText = body
    this.#headers = Object.entries({ 'Tus-Resumable': '1.0.0', ...headers })
      .filter(([, value]) => value !== '')
      .map(([name, value]) => (value === null ? '' : `${name}: ${value}\r\n`))
      .join('')
    this.onload()
  }
}

export const pendingRequests = (): readonly FakeRequest[] => pending

export const forgetRequests = (): void => {
  pending = []
}

/** Waits until such a request is sent. */
export async function request(method: string, name: string): Promise<FakeRequest> {
  const find = () => pending.find((each) => each.method === method && each.address.includes(name))
  while (find() === undefined) await Bun.sleep(1)
  return find() as FakeRequest
}
