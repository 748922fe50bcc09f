import type { Query } from './query.ts'

/** What a request does, in a word for the log and for metrics. */
export interface Action {
  readonly name: string
  /**
   * 'change': it changes something. 'send': it sends the content of files. 'look': it shows what is there.
   */
  readonly kind: 'change' | 'send' | 'look'
}

const change = (name: string): Action => ({ name, kind: 'change' })
const send = (name: string): Action => ({ name, kind: 'send' })
const look = (name: string): Action => ({ name, kind: 'look' })

type Choose = (query: Query, path: string) => Action

const [copy, move] = [change('copy'), change('move')]
const [createFolder, createFile] = [change('create-folder'), change('create')]

/** By method and the first name below /api, or the second below /api/public. */
const actions: ReadonlyMap<string, Action | Choose> = new Map<string, Action | Choose>([
  ['POST login', change('sign-in')],
  ['POST logout', change('sign-out')],
  ['POST signup', change('sign-up')],
  ['DELETE sessions', change('end-sessions')],
  ['POST renew', look('renew')],
  ['GET renew', look('renew')],
  ['GET sessions', look('list-sessions')],

  ['GET resources', look('list')],
  ['POST resources', (_query, path) => (path.endsWith('/') ? createFolder : createFile)],
  ['PUT resources', change('save')],
  ['PATCH resources', (query) => (query.get('action') === 'copy' ? copy : move)],
  ['DELETE resources', change('delete')],
  ['GET usage', look('usage')],
  ['GET search', look('search')],
  ['GET preview', look('preview')],
  ['GET subtitle', look('subtitle')],
  ['GET raw', send('download')],
  ['POST raw', send('download')],

  ['POST tus', change('upload')],
  ['PATCH tus', change('upload')],
  ['DELETE tus', change('cancel-upload')],
  ['GET tus', look('upload-offset')],

  ['POST share', change('share')],
  ['DELETE share', change('unshare')],
  ['GET share', look('list-shares')],
  ['GET shares', look('list-shares')],
  ['GET public/share', look('list')],
  ['GET public/dl', send('download')],
  ['POST public/dl', send('download')],
  ['GET public/preview', look('preview')],
  ['GET public/subtitle', look('subtitle')],

  ['POST users', change('add-user')],
  ['PUT users', change('change-user')],
  ['DELETE users', change('delete-user')],
  ['GET users', look('list-users')],
  ['PUT settings', change('change-settings')],
  ['GET settings', look('show-settings')],
  ['DELETE takeover', change('close-takeover-report')],
  ['GET takeover', look('takeover-report')],
  ['GET command', look('open-command-socket')],
])

/** What a request to the API does; undefined for all that is not in the table, such as the client's own files. */
export function actionOf(method: string, path: string, query: () => Query): Action | undefined {
  if (!path.startsWith('/api/')) return undefined
  const end = path.indexOf('/', 5)
  let name = end === -1 ? path.slice(5) : path.slice(5, end)
  if (name === 'public') name = path.slice(5, pastNext(path, end))
  const found = actions.get(`${method === 'HEAD' ? 'GET' : method} ${name}`)
  return typeof found === 'function' ? found(query(), path) : found
}

/** A part of an upload, or a question about one: an upload that is not whole has a time at which it expires. */
export const goesOn = ({ headers }: Request, response: Response): boolean =>
  response.headers.has('upload-expires') || /^(head|get)$/i.test(headers.get('x-http-method-override') ?? '')

function pastNext(path: string, slash: number): number | undefined {
  const next = path.indexOf('/', slash + 1)
  return next === -1 ? undefined : next
}
