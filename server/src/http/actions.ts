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

/** By the first name below /api, or the first two below /api/public, and by method. */
const actions: ReadonlyMap<string, Partial<Record<string, Action | Choose>>> = new Map([
  ['login', { POST: change('sign-in') }],
  ['logout', { POST: change('sign-out') }],
  ['signup', { POST: change('sign-up') }],
  ['sessions', { DELETE: change('end-sessions'), GET: look('list-sessions') }],
  ['renew', { POST: look('renew'), GET: look('renew') }],
  [
    'resources',
    {
      GET: look('list'),
      POST: (_query, path) => (path.endsWith('/') ? createFolder : createFile),
      PUT: change('save'),
      PATCH: (query) => (query.get('action') === 'copy' ? copy : move),
      DELETE: change('delete'),
    },
  ],
  ['usage', { GET: look('usage') }],
  ['search', { GET: look('search') }],
  ['preview', { GET: look('preview') }],
  ['subtitle', { GET: look('subtitle') }],
  ['raw', { GET: send('download'), POST: send('download') }],
  [
    'tus',
    { POST: change('upload'), PATCH: change('upload'), DELETE: change('cancel-upload'), GET: look('upload-offset') },
  ],
  ['share', { POST: change('share'), DELETE: change('unshare'), GET: look('list-shares') }],
  ['shares', { GET: look('list-shares') }],
  ['public/share', { GET: look('list') }],
  ['public/dl', { GET: send('download'), POST: send('download') }],
  ['public/preview', { GET: look('preview') }],
  ['public/subtitle', { GET: look('subtitle') }],
  [
    'users',
    { POST: change('add-user'), PUT: change('change-user'), DELETE: change('delete-user'), GET: look('list-users') },
  ],
  ['settings', { PUT: change('change-settings'), GET: look('show-settings') }],
  ['takeover', { DELETE: change('close-takeover-report'), GET: look('takeover-report') }],
  ['command', { GET: look('open-command-socket') }],
] satisfies [string, Partial<Record<string, Action | Choose>>][])

/** What a request to the API does; undefined for all that is not in the table, such as the client's own files. */
export function actionOf(method: string, path: string, query: () => Query): Action | undefined {
  if (!path.startsWith('/api/')) return undefined
  const end = path.indexOf('/', 5)
  let name = end === -1 ? path.slice(5) : path.slice(5, end)
  if (name === 'public') name = path.slice(5, pastNext(path, end))
  const found = actions.get(name)?.[method === 'HEAD' ? 'GET' : method]
  return typeof found === 'function' ? found(query(), path) : found
}

/** A part of an upload, or a question about one: an upload that is not whole has a time at which it expires. */
export const goesOn = ({ headers }: Request, response: Response): boolean =>
  response.headers.has('upload-expires') || /^(head|get)$/i.test(headers.get('x-http-method-override') ?? '')

function pastNext(path: string, slash: number): number | undefined {
  const next = path.indexOf('/', slash + 1)
  return next === -1 ? undefined : next
}
