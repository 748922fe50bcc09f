import { constants, type Stats } from 'node:fs'
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rmdir,
  truncate,
  unlink,
  utimes,
} from 'node:fs/promises'
import { join, normalize, resolve } from 'node:path'
import ssh2, { type Attributes, type Connection, type SFTPWrapper } from 'ssh2'
import { hostKeyOf } from './files.ts'
import { openFlag, status } from './packets.ts'
import type { TestServer } from './sshd.fixture.ts'

const [user, password] = ['tester', 'open sesame']

/** A server that knows the bare protocol and no extension, for what sshd cannot show and for where there is no sshd. */
export async function startOwnServer({ reads = asItIs }: OwnServerOptions = {}): Promise<TestServer> {
  const connections = new Set<Connection>()
  const { private: hostKey } = ssh2.utils.generateKeyPairSync('ed25519')
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    connections.add(client)
    client.on('error', () => {})
    client.on('close', () => connections.delete(client))
    client.on('authentication', (attempt) => {
      if (attempt.method === 'password' && attempt.username === user && attempt.password === password) attempt.accept()
      else attempt.reject(['password'])
    })
    client.on('session', (accept) => accept().on('sftp', (begin) => answer(begin(), reads)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const fingerprint = await hostKeyOf('127.0.0.1', port)
  return {
    port,
    hostKey: fingerprint,
    keys: { password },
    address: (folder) => ({ host: '127.0.0.1', port, user, folder, hostKey: fingerprint }),
    async stop() {
      for (const client of connections) client.end()
      server.close()
    },
  }
}

interface OwnServerOptions {
  /** Which file a path means. */
  readonly reads?: (path: string) => Promise<string>
}

const asItIs = async (path: string): Promise<string> => path

/** As Windows does: a backslash is a slash, `..` is taken away before anything is looked at, capitals are small letters. */
export async function asOnWindows(path: string): Promise<string> {
  let at = '/'
  for (const name of normalize(path.replaceAll('\\', '/')).split('/').filter(Boolean)) {
    const names = await readdir(at).catch(() => [])
    at = join(at, names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name)
  }
  return at
}

/** Each request is answered by what the file system of this machine says. */
function answer(sftp: SFTPWrapper, reads: (path: string) => Promise<string>): void {
  const files = new Map<number, FileHandle>()
  const folders = new Map<number, string[][]>()
  let next = 0

  const handleOf = (id: number): Buffer => {
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(id)
    return handle
  }
  const fileOf = (handle: Buffer): FileHandle => {
    const file = files.get(handle.readUInt32BE())
    if (file === undefined) throw new Error('No such handle')
    return file
  }
  const done = (request: number, work: Promise<unknown>, tell?: () => void): void => {
    work.then(tell ?? (() => sftp.status(request, status.ok)), (error) => sftp.status(request, codeOf(error)))
  }

  sftp.on('OPEN', (request, path, flags, { mode }) => {
    const isWriting = (flags & openFlag.write) !== 0
    const mask =
      (isWriting ? (flags & openFlag.read ? constants.O_RDWR : constants.O_WRONLY) : constants.O_RDONLY) |
      (flags & openFlag.create ? constants.O_CREAT : 0) |
      (flags & openFlag.truncate ? constants.O_TRUNC : 0) |
      (flags & openFlag.exclusive ? constants.O_EXCL : 0)
    const id = ++next
    const opened = reads(path).then(async (real) => files.set(id, await open(real, mask, mode)))
    done(request, opened, () => sftp.handle(request, handleOf(id)))
  })
  sftp.on('CLOSE', (request, handle) => {
    const id = handle.readUInt32BE()
    folders.delete(id)
    const file = files.get(id)
    files.delete(id)
    done(request, file?.close() ?? Promise.resolve())
  })
  sftp.on('READ', async (request, handle, offset, length) => {
    const memory = Buffer.alloc(length)
    const { bytesRead } = await fileOf(handle).read(memory, 0, length, offset)
    if (bytesRead === 0) sftp.status(request, status.eof)
    else sftp.data(request, memory.subarray(0, bytesRead))
  })
  sftp.on('WRITE', (request, handle, offset, data) => done(request, fileOf(handle).write(data, 0, data.length, offset)))
  sftp.on('FSTAT', (request, handle) => {
    fileOf(handle)
      .stat()
      .then((stats) => sftp.attrs(request, attributesOf(stats)))
  })
  sftp.on('FSETSTAT', (request, handle, wanted) => {
    const file = fileOf(handle)
    const change = async () => {
      if (wanted.size !== undefined) await file.truncate(wanted.size)
      if (wanted.mode !== undefined) await file.chmod(wanted.mode & 0o7777)
      if (wanted.mtime !== undefined) await file.utimes(wanted.atime, wanted.mtime)
    }
    done(request, change())
  })
  sftp.on('SETSTAT', (request, path, wanted) => {
    const change = async () => {
      if (wanted.size !== undefined) await truncate(path, wanted.size)
      if (wanted.mtime !== undefined) await utimes(path, wanted.atime, wanted.mtime)
    }
    done(request, change())
  })
  sftp.on('LSTAT', (request, path) => {
    reads(path)
      .then((real) => lstat(real))
      .then(
        (stats) => sftp.attrs(request, attributesOf(stats)),
        (error) => sftp.status(request, codeOf(error)),
      )
  })
  sftp.on('OPENDIR', (request, path) => {
    const id = ++next
    const opened = reads(path).then(async (real) => {
      const names = await readdir(real)
      const pages = Array.from({ length: Math.ceil(names.length / 100) }, (_, at) =>
        names.slice(at * 100, at * 100 + 100),
      )
      folders.set(
        id,
        [['.', '..'], ...pages].map((page) => page.map((name) => `${real}/${name}`)),
      )
    })
    done(request, opened, () => sftp.handle(request, handleOf(id)))
  })
  sftp.on('READDIR', async (request, handle) => {
    const page = folders.get(handle.readUInt32BE())?.shift()
    if (page === undefined) return void sftp.status(request, status.eof)
    const found = await Promise.all(
      page.map(async (path) => ({ path, stats: await lstat(path).catch(() => undefined) })),
    )
    const named = found.flatMap(({ path, stats }) =>
      stats === undefined
        ? []
        : [{ filename: path.slice(path.lastIndexOf('/') + 1), longname: '', attrs: attributesOf(stats) }],
    )
    sftp.name(request, named)
  })
  sftp.on('REMOVE', (request, path) => done(request, reads(path).then(unlink)))
  sftp.on('RMDIR', (request, path) => done(request, rmdir(path)))
  sftp.on('MKDIR', (request, path, { mode }) => done(request, mkdir(path, mode)))
  sftp.on('RENAME', (request, from, to) => {
    const renamed = lstat(to).then(
      () => Promise.reject(new Error('The name is taken')),
      () => rename(from, to),
    )
    done(request, renamed)
  })
  sftp.on('REALPATH', (request, path) => {
    realpath(path).then(
      (real) => sftp.name(request, [{ filename: real, longname: '', attrs: noAttributes }]),
      () => sftp.name(request, [{ filename: resolve(path), longname: '', attrs: noAttributes }]),
    )
  })
}

const noAttributes = {} as Attributes

const attributesOf = ({ mode, size, uid, gid, atimeMs, mtimeMs }: Stats): Attributes => ({
  mode,
  size,
  uid,
  gid,
  atime: Math.floor(atimeMs / 1000),
  mtime: Math.floor(mtimeMs / 1000),
})

function codeOf(error: unknown): number {
  const code = (error as { code?: string }).code
  if (code === 'ENOENT' || code === 'ENOTDIR') return status.noSuchFile
  if (code === 'EACCES' || code === 'EPERM') return status.denied
  return status.failure
}
