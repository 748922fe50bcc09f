import { Credentials, ShareTerms, SignupRequest, UserRemoval, UserRequest, WebSettings } from '@filestead/contract'
import type { z } from 'zod'

/** What a person should know about a route. */
export interface About {
  summary: string
  details?: string
  /** Query parameters and what they do. */
  query?: Record<string, string>
  body?: z.ZodType
  answer?: string
}

const token = 'The token as plain text; the auth cookie is set as well'
const statusLine = 'The status line as text'

/** Every route of the API, by method and path. A test keeps the list complete. */
export const descriptions: Readonly<Record<string, About>> = {
  'POST /api/login': { summary: 'Sign in.', body: Credentials, answer: token },
  'POST /api/renew': { summary: 'A new token for the same session.', answer: token },
  'GET /api/renew': { summary: 'A new token for the same session, by cookie.', answer: token },
  'POST /api/logout': { summary: 'End the session of this token.', answer: statusLine },
  'GET /api/sessions': { summary: 'Where the caller is signed in.', answer: 'A list of sessions' },
  'DELETE /api/sessions': { summary: 'End all other sessions of the caller.', answer: statusLine },
  'DELETE /api/sessions/:id': { summary: 'End one session of the caller.', answer: statusLine },
  'POST /api/signup': {
    summary: 'Make an account, where that is switched on.',
    body: SignupRequest,
    answer: statusLine,
  },

  'GET /api/users': { summary: 'All users.', answer: 'A list of users without passwords' },
  'POST /api/users': {
    summary: 'Create a user.',
    details: 'Needs the current password of the caller.',
    body: UserRequest,
    answer: '201, with the address of the user in Location',
  },
  'GET /api/users/:id{[0-9]+}': {
    summary: 'One user.',
    details: 'Oneself, or any for administrators.',
    answer: 'A user',
  },
  'PUT /api/users/:id{[0-9]+}': {
    summary: 'Change a user.',
    details: '`which` names the fields; empty or "all" replaces the record and is for administrators.',
    body: UserRequest,
    answer: statusLine,
  },
  'DELETE /api/users/:id{[0-9]+}': { summary: 'Remove a user.', body: UserRemoval, answer: statusLine },
  'GET /api/settings': { summary: 'The global settings.', answer: 'The settings; their version as ETag' },
  'PUT /api/settings': {
    summary: 'Replace the global settings, as a whole.',
    details: 'With If-Match only while the settings are still that version; else 412.',
    body: WebSettings,
    answer: `${statusLine}; the ETag of the settings`,
  },

  'GET /api/takeover': {
    summary: 'What changed with the move from File Browser, until an administrator has seen it.',
    answer: '{when, from, taken, changes}, or 204 when there is nothing to tell',
  },
  'DELETE /api/takeover': { summary: 'The report of the move has been seen.', answer: '204' },

  'GET /api/resources/*': {
    summary: 'A folder with its entries, or a file with its facts and, for text, its content.',
    details: 'With the header `X-Encoding: true` a text file is answered as its bytes. Files carry an ETag.',
    query: {
      checksum: 'md5, sha1, sha256 or sha512 of a file',
      recursive: 'true: everything below a folder as one flat list',
    },
    answer: 'The resource',
  },
  'GET /api/resources/recursive/*': { summary: 'The flat list of a folder, under its old address.', answer: 'A list' },
  'POST /api/resources/*': {
    summary: 'Create a file from the body, or a folder where the path ends with a slash.',
    query: { override: 'true: replace what is there' },
    answer: `${statusLine}; the ETag of the file`,
  },
  'PUT /api/resources/*': {
    summary: 'Save a new version of a file from the body.',
    details: 'With If-Match only while the file is still that version; else 412.',
    answer: `${statusLine}; the ETag of the file`,
  },
  'PATCH /api/resources/*': {
    summary: 'Copy, rename or move.',
    query: {
      action: 'copy or rename',
      destination: 'the target path, percent-encoded once more',
      override: 'true: replace files and merge folders of the same name',
      rename: 'true: take a free name instead',
    },
    answer: statusLine,
  },
  'DELETE /api/resources/*': { summary: 'Remove a file, or a folder with all it holds.', answer: '204' },
  'GET /api/raw/*': {
    summary: 'Download a file, or a folder as an archive.',
    details: 'Ranges and conditional requests work.',
    query: {
      inline: 'true: to be shown instead of saved',
      algo: 'zip, tar, targz, tarbz2, tarxz, tarlz4, tarsz, tarbr or tarzst',
      files: 'names below the path, separated by commas, each percent-encoded once more',
    },
    answer: 'The bytes',
  },
  'POST /api/raw/*': {
    summary: 'Download some of what is in a folder as an archive, when the names are too many for an address.',
    details:
      'Takes a form (`application/x-www-form-urlencoded`) of up to 8 MiB with the fields `files`, one for each name, and `algo`. A page that cannot send the header `X-Auth` sends the token in the field `auth`, which has to stand within the first 8 KiB. At most 100,000 fields.',
    answer: 'The bytes',
  },
  'GET /api/shares': {
    summary: 'The links of the caller; those of everybody for administrators.',
    answer: 'A list of links',
  },
  'GET /api/share/*': { summary: 'The links to one file or folder.', answer: 'A list of links' },
  'POST /api/share/*': {
    summary: 'Make a link to a file or folder.',
    details: 'An empty `expires` makes a link that stays.',
    body: ShareTerms,
    answer: 'The link',
  },
  'DELETE /api/share/*': { summary: 'Remove a link; the path is its hash.', answer: statusLine },
  'GET /api/public/share/*': {
    summary: 'What a link shows; the path is its hash, then a path in what is shared.',
    details: 'A password goes into the header `X-SHARE-PASSWORD`, percent-encoded; the answer then carries a token.',
    query: { token: 'instead of the password, for an hour' },
    answer: 'The resource, without content',
  },
  'GET /api/public/dl/*': {
    summary: 'Download what a link shows, a folder as an archive.',
    query: {
      token: 'instead of the password, for an hour',
      inline: 'true: to be shown instead of saved',
      algo: 'as for /api/raw',
      files: 'as for /api/raw',
    },
    answer: 'The bytes',
  },
  'POST /api/public/dl/*': {
    summary: 'Download some of what is in a shared folder as an archive, when the names are too many for an address.',
    details: 'Takes a form as `/api/raw` does.',
    query: { token: 'instead of the password, for an hour' },
    answer: 'The bytes',
  },
  'GET /api/public/preview/thumb/*': { summary: 'A small square picture of a shared image.', answer: 'The picture' },
  'GET /api/public/preview/big/*': {
    summary: 'A picture of a shared image that fits a screen.',
    answer: 'The picture',
  },
  'GET /api/public/subtitle/*': { summary: 'Shared subtitles as WebVTT.', answer: 'The subtitles' },
  'GET /api/preview/*': {
    summary: 'A smaller picture of an image; the path begins with thumb/ or big/.',
    query: { inline: 'true: to be shown instead of saved' },
    answer: 'The picture',
  },
  'GET /api/subtitle/*': { summary: 'Subtitles (vtt, srt, ass, ssa) as WebVTT.', answer: 'The subtitles' },
  'GET /api/search/*': {
    summary: 'Search names below a folder.',
    details: 'All words must match; "quoted words" count as one. `type:image` and the like, `case:sensitive`.',
    query: { query: 'what to search for' },
    answer: 'One JSON object {dir, path} a line, as they are found; empty lines keep the connection alive',
  },
  'OPTIONS /api/tus/*': { summary: 'What the resumable upload can do.', answer: '204 with Tus headers' },
  'POST /api/tus/*': {
    summary: 'Begin a resumable upload, or go on with one.',
    details:
      'Needs the header Upload-Length; Upload-Metadata may carry lastModified. The first bytes may come along, as with PATCH.',
    query: { override: 'true: replace what is there once the upload is whole' },
    answer: '201, with its address in Location',
  },
  'GET /api/tus/*': {
    summary: 'How far an upload has come; HEAD does the same.',
    answer: 'Upload-Offset, Upload-Length and the Upload-Metadata it was begun with',
  },
  'PATCH /api/tus/*': {
    summary: 'Send the next bytes of an upload.',
    details: 'Needs Upload-Offset and Content-Type: application/offset+octet-stream; Upload-Checksum is verified.',
    answer: '204 with Upload-Offset',
  },
  'DELETE /api/tus/*': { summary: 'Give an upload up.', answer: '204' },
  'GET /api/openapi.json': { summary: 'This description, for programs.', answer: 'OpenAPI 3.1' },
  'GET /api/docs': { summary: 'This description, for people.', answer: 'A page' },
  'GET /api/usage/*': { summary: 'Size and use of the disk that holds a folder.', answer: '{total, used} in bytes' },
  'GET /api/command/*': {
    summary: 'Run a command in a folder, over a WebSocket.',
    details: 'One command line in, its output line by line out. Off unless the server was started with it.',
    answer: 'A WebSocket',
  },
}
