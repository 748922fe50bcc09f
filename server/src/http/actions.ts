import type { Query } from './query.ts'

/** What a request does, for the log and for metrics. */
export interface Action {
  readonly name: string
  /**
   * 'change': changes something. 'send': sends the content of files. 'look': shows metadata.
   */
  readonly kind: 'change' | 'send' | 'look'
}

const change = (name: string): Action => ({ name, kind: 'change' })
const send = (name: string): Action => ({ name, kind: 'send' })
const look = (name: string): Action => ({ name, kind: 'look' })

type Choose = (query: Query, path: string) => Action

const [copy, move] = [change('copy'), change('move')]
const [createFolder, createFile] = [change('create-folder'), change('create')]

/** By the first segment below /api, or the first two for /api/public, and by method. */
const actions: ReadonlyMap<string, Partial<Record<string, Action | Choose>>> = new Map([
  ['login', { POST: change('sign-in') }],
  ['logout', { POST: change('sign-out') }],
  ['signup', { POST: change('sign-up') }],
  ['sessions', { DELETE: change('end-sessions'), GET: look('list-sessions') }],
  ['sign-ins', { GET: look('list-sign-ins') }],
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
  ['entries', { POST: look('list') }],
  ['folders', { GET: look('list') }],
  ['favourites', { PUT: change('add-favourite'), DELETE: change('remove-favourite'), GET: look('list-favourites') }],
  ['events', { GET: look('events') }],
  [
    'jobs',
    {
      ...{ POST: change('start-job'), PATCH: change('change-job'), DELETE: change('end-job') },
      GET: look('list-jobs'),
    },
  ],
  ['conflicts', { POST: look('list') }],
  ['trash', { GET: look('list-trash') }],
  ['operations', { GET: look('list-operations') }],
  ['timeline', { GET: look('list-timeline') }],
  ['timeline-folder', { GET: look('list-timeline') }],
  ['usage', { GET: look('usage') }],
  ['folder-size', { GET: look('folder-size') }],
  ['search', { GET: look('search') }],
  ['preview', { GET: look('preview') }],
  ['subtitle', { GET: look('subtitle') }],
  ['media', { GET: look('media'), POST: look('media') }],
  ['archive', { GET: look('list') }],
  ['archive-file', { GET: send('download') }],
  ['raw', { GET: send('download'), POST: send('download') }],
  [
    'tus',
    { POST: change('upload'), PATCH: change('upload'), DELETE: change('cancel-upload'), GET: look('upload-offset') },
  ],
  // Each of its files is logged as an upload.
  ['uploads', { POST: look('upload-batch') }],
  ['share', { POST: change('share'), DELETE: change('unshare'), GET: look('list-shares') }],
  ['shares', { GET: look('list-shares') }],
  ['shared', { GET: look('list-shares') }],
  ['public/share', { GET: look('list') }],
  ['public/dl', { GET: send('download'), POST: send('download') }],
  ['public/preview', { GET: look('preview') }],
  ['public/subtitle', { GET: look('subtitle') }],
  ['public/media', { POST: look('media') }],
  [
    'users',
    { POST: change('add-user'), PUT: change('change-user'), DELETE: change('delete-user'), GET: look('list-users') },
  ],
  ['settings', { PUT: change('change-settings'), GET: look('show-settings') }],
  [
    'groups',
    {
      ...{ POST: change('add-group'), PUT: change('change-group'), DELETE: change('remove-group') },
      GET: look('list-groups'),
    },
  ],
  [
    'grants',
    {
      ...{ POST: change('grant'), PUT: change('grant'), DELETE: change('remove-grant') },
      GET: look('list-grants'),
    },
  ],
  [
    'mounts',
    {
      ...{ POST: change('add-mount'), PUT: change('change-mount'), DELETE: change('remove-mount') },
      GET: look('list-mounts'),
    },
  ],
  ['access', { GET: look('explain-access') }],
  ['takeover', { DELETE: change('close-takeover-report'), GET: look('takeover-report') }],
  ['command', { GET: look('open-command-socket') }],
] satisfies [string, Partial<Record<string, Action | Choose>>][])

/** The action of a request; undefined for addresses that are not in the table, such as static files. */
export function actionOf(method: string, path: string, query: () => Query): Action | undefined {
  if (!path.startsWith('/api/')) return undefined
  const end = path.indexOf('/', 5)
  let name = end === -1 ? path.slice(5) : path.slice(5, end)
  if (name === 'public') name = path.slice(5, pastNext(path, end))
  const found = actions.get(name)?.[method === 'HEAD' ? 'GET' : method]
  return typeof found === 'function' ? found(query(), path) : found
}

/** The method of a request. Clients of uploads in networks that let only GET and POST through name it in a header. */
export const methodOf = ({ method, headers }: Request, path: string): string =>
  method === 'POST' && path.startsWith('/api/tus/') ? (headers.get('x-http-method-override') ?? method) : method

/** Whether an upload is unfinished after this answer: only then does it have an expiry. */
export const isUploadUnfinished = (response: Response): boolean => response.headers.has('upload-expires')

function pastNext(path: string, slash: number): number | undefined {
  const next = path.indexOf('/', slash + 1)
  return next === -1 ? undefined : next
}
