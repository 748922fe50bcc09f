import { z } from 'zod'
import { clientReader } from '../http/client-address.ts'
import { isHostList } from '../http/hosts.ts'
import { parseAddress } from '../http/listen-address.ts'
import { logLevels } from '../log/log.ts'
import { inGroup, type OptionDescription } from './descriptions.ts'
import { MountList } from './mounts.ts'
import { Amount, Choice, Duration, FilledText, FolderList, Mode, Processes, Switch, Text, Whole } from './values.ts'

const serving = inGroup('What is served')
const listening = inGroup('Where it listens')
const signingIn = inGroup('Signing in')
const previews = inGroup('Previews and types')
const limits = inGroup('Limits')
const commands = inGroup('Commands and hooks')
const firstStart = inGroup('Only at the first start, when there is no database')

/** The options of the server. Keys are the long flags; the database can hold them too. */
export const ServerOptions = z.object({
  root: serving(FilledText.prefault('.'), 'folder that is served', '-r <folder>'),
  readOnly: serving(Switch.prefault(false), 'no user can change files, whatever the permissions'),
  followExternalSymlinks: serving(Switch.prefault(false), "follow links that lead out of a user's folder"),
  mount: serving(
    MountList.prefault(''),
    'a further root folder with its name, such as Photos=/mnt/photos, or the address of a bucket or another server; behind a comma readOnly, or links=outside; repeat it for more',
    '<name=folder>',
  ),
  mountable: serving(
    FolderList.prefault('/srv,/mnt,/media,/data,/home'),
    'folders in which administrators may choose root folders on the page; empty for none',
    '<a,b>',
  ),
  remoteMounts: serving(
    Switch.prefault(true),
    'administrators may add buckets and folders of other servers as root folders on the page; =false leaves that to the command line',
  ),
  keysFolder: serving(
    FilledText.prefault('/etc/filestead/keys'),
    'folder with the keys of buckets and other servers, one file for each name',
    '<folder>',
  ),
  log: serving(Text.prefault('stdout'), 'stdout, stderr, a file, or empty for no log', '-l <target>'),
  logLevel: serving(
    Choice(logLevels).prefault('info'),
    'error, warn, info (also who signed in, changed or downloaded what) or debug (also who looked at what)',
    '<level>',
  ),
  accessLog: serving(Switch.prefault(false), 'log every request, whatever the level'),

  address: listening(Text.prefault('127.0.0.1'), 'address to listen on', '-a <address>'),
  port: listening(Whole(0, 65_535).prefault(8080), 'port to listen on; 0 picks a free one', '-p <number>'),
  baseURL: listening(
    Text.transform((text) => text.replace(/\/+$/, ''))
      .refine((text) => /^(\/[^/?#\s]+)*$/.test(text), 'must be empty or a path such as /files')
      .prefault(''),
    'path below which everything is served, such as /files',
    '-b <path>',
  ),
  cert: listening(Text.prefault(''), 'TLS certificate; needs --key', '-t <file>'),
  key: listening(Text.prefault(''), 'TLS key; needs --cert', '-k <file>'),
  socket: listening(Text.prefault(''), 'listen on this unix socket instead of an address', '<file>'),
  socketPerm: listening(Mode.prefault('0666'), 'permissions of the unix socket', '<mode>'),
  trustedProxies: listening(
    Text.refine(isProxyList, 'must be addresses or ranges such as 10.0.0.0/8, or the word unix').prefault(''),
    'addresses or ranges of trusted proxies, whose forwarding headers count; "unix" for the other end of --socket',
    '<list>',
  ),
  allowedHosts: listening(
    Text.refine(isHostList, 'must be hosts such as files.example.org or *.example.org').prefault(''),
    'hosts by which people may call this server, such as files.example.org; any, if empty, but for a server without sign-in on this machine',
    '<list>',
  ),
  frameAncestors: listening(
    Text.refine(isOriginList, 'must be sites such as https://home.example.org').prefault(''),
    'other sites whose pages may show this one in a frame, such as https://home.example.org',
    '<list>',
  ),
  metrics: listening(
    Text.refine(
      (text) => text === '' || parseAddress(text) !== undefined,
      'must be an address and a port such as 127.0.0.1:9100',
    ).prefault(''),
    'serve Prometheus metrics at /metrics of this address, such as 127.0.0.1:9100',
    '<address:port>',
  ),

  // Not validated here: as in File Browser, an invalid one means two hours, with a warning.
  tokenExpirationTime: signingIn(Text.prefault('2h'), 'how long a sign-in lasts without renewal', '<time>'),
  disableLoginThrottle: signingIn(Switch.prefault(false), 'do not slow down password guessing'),

  cacheDir: previews(Text.optional(), 'thumbnail cache (default: beside the database); empty for none', '<folder>'),
  cacheSize: previews(Amount.prefault('1GB'), 'how large the thumbnail cache may become', '<amount>'),
  imageProcessors: previews(Whole(1).prefault(4), 'how many images are worked on at once', '<number>'),
  maxImagePixels: previews(Amount.prefault('100M'), 'larger images get no preview', '<amount>'),
  disableThumbnails: previews(Switch.prefault(false), 'no thumbnails'),
  disablePreviewResize: previews(Switch.prefault(false), 'send images in full size'),
  disableTypeDetectionByHeader: previews(Switch.prefault(false), 'never look into files to tell their type'),
  disableImageResolutionCalc: previews(Switch.prefault(false), 'do not look up the size of images'),

  uploadLifetime: limits(Duration.prefault('24h'), 'how long an interrupted upload can be resumed', '<time>'),
  stopGrace: limits(Duration.prefault('10s'), 'how long what is under way may go on when the server stops', '<time>'),
  processes: limits(
    Processes.prefault(1),
    'so many processes serve, for more than one processor; auto is one for each',
    '<number>',
  ),
  nodeTimeout: limits(
    Duration.prefault('60s'),
    'with PostgreSQL: a server of which nothing is heard for so long is taken for dead',
    '<time>',
  ),
  databaseConnections: limits(
    Whole(2, 1000).prefault(10),
    'the most connections of one process to PostgreSQL, besides one that listens',
    '<number>',
  ),
  searchLimit: limits(Whole(1).prefault(10_000), 'a search ends after this many finds', '<number>'),

  disableExec: commands(Switch.prefault(true), 'no commands and no hooks; =false allows what users are allowed'),
  allowShell: commands(
    Switch.prefault(false),
    "with --disableExec=false: commands go through a shell, which can do all that the server's account can",
  ),
  commandTimeout: commands(Duration.prefault('60s'), 'a command is ended after this time', '<time>'),

  redisCacheUrl: inGroup('')(Text.prefault(''), 'accepted for old set-ups, and ignored', '<url>'),
})
export type ServerOptions = z.infer<typeof ServerOptions>

/** Options of the first start, for the administrator that it makes. */
export const FirstStartOptions = z.object({
  username: firstStart(FilledText.prefault('admin'), 'name of the administrator', '<name>'),
  password: firstStart(
    Text.prefault(''),
    'password as a hash (see filestead hash); without one it is random and shown once',
    '<hash>',
  ),
  noauth: firstStart(Switch.prefault(false), 'no sign-in: every visitor is the administrator'),
})
export type FirstStart = z.infer<typeof FirstStartOptions>

/** Flags that File Browser renamed; scripts still use the old names. */
export const formerNames: Readonly<Record<string, string>> = {
  'file-mode': 'fileMode',
  'dir-mode': 'dirMode',
  'hide-login-button': 'hideLoginButton',
  'create-user-dir': 'createUserDir',
  'minimum-password-length': 'minimumPasswordLength',
  'socket-perm': 'socketPerm',
  'disable-thumbnails': 'disableThumbnails',
  'disable-preview-resize': 'disablePreviewResize',
  'disable-exec': 'disableExec',
  'disable-type-detection-by-header': 'disableTypeDetectionByHeader',
  'img-processors': 'imageProcessors',
  'cache-dir': 'cacheDir',
  'redis-cache-url': 'redisCacheUrl',
  'token-expiration-time': 'tokenExpirationTime',
  baseurl: 'baseURL',
}

export const databaseOption: OptionDescription = {
  group: 'Everywhere',
  description:
    "database: a file, or postgres://user@host/name (default: ./filestead.db or File Browser's ./filebrowser.db if there is one, else in your state folder)",
  value: '<file or address>',
  short: 'd',
}

export const configOption: OptionDescription = {
  group: 'Everywhere',
  description: 'config file (default: the first .filestead.*, .filebrowser.* or /etc/filestead/filestead.* found)',
  value: '<file>',
  short: 'c',
}

/** Origins alone: the text becomes part of a Content-Security-Policy, and must not add directives to it. */
function isOriginList(text: string): boolean {
  const parts = text.split(/[\s,]+/).filter(Boolean)
  return parts.every((part) => /^https?:\/\/(\*\.)?[\w-]+(\.[\w-]+)*(:\d{1,5})?$/i.test(part))
}

function isProxyList(text: string): boolean {
  try {
    clientReader(text)
    return true
  } catch {
    return false
  }
}
