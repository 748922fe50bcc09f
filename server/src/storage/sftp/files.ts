import { Failure } from '../../failure.ts'
import type { RemoteAbilities, RemoteFiles } from '../remote/files.ts'
import { createFolder, makeLink, removeFile, removeFolder, renameFolder } from './changing.ts'
import { readSymlink, type Session, sessions, setFolderAttributes } from './client.ts'
import { type SftpConnection, type SftpKeys, type SftpServer, sftpConnection } from './connection.ts'
import { copyFile } from './copying.ts'
import { sftpDrafts } from './drafts.ts'
import { toSeconds } from './entries.ts'
import { placeOf } from './place.ts'
import { probe, space } from './probing.ts'
import { moveFile, requireFree } from './publish.ts'
import { list, read, stat } from './reading.ts'
import { writeFrom } from './transfer.ts'

export { hostKeyOf, type SftpKeys } from './connection.ts'

export interface SftpOptions {
  /** An `SftpAddress` is one. */
  readonly address: SftpServer & { readonly folder: string }
  /** Asked for every connection, and once more where a server refuses them. */
  readonly keys: () => Promise<SftpKeys>
  /** `probe` shall not try to write. */
  readonly isReadOnly?: boolean | undefined
  /** In milliseconds: a server that says nothing for so long while it is asked is away. */
  readonly patience?: number | undefined
  /** In milliseconds: the pause after the first connection that could not be made. */
  readonly firstPause?: number | undefined
}

/** The files of an SFTP server. Nothing is asked of it until the first verb; `abilities` knows more afterwards. */
export function openSftp({ address, keys, patience = 10_000, firstPause = 500, ...options }: SftpOptions): RemoteFiles {
  const connect = () => sftpConnection({ server: address, keys, patience, firstPause })
  return filesOver({ lookups: connect(), transfers: connect() }, address.folder, options)
}

/** A connection of its own for the bytes of files, so that a listing does not wait behind a film. */
export interface Connections {
  readonly lookups: SftpConnection
  readonly transfers: SftpConnection
}

export function filesOver(
  connections: Connections,
  folder: string,
  { isReadOnly = false }: Pick<SftpOptions, 'isReadOnly'> = {},
): RemoteFiles {
  let abilities: SftpAbilities = unknownAbilities
  let foldsCase = false
  let root = folder
  const through = (connection: SftpConnection) => {
    const begin = sessions(connection, folder)
    return async () => {
      const session = await begin()
      abilities = abilitiesOf(session)
      root = session.base
      return session
    }
  }
  const place = placeOf(through(connections.lookups), through(connections.transfers))
  const drafts = sftpDrafts(place)

  return {
    get abilities() {
      return { ...abilities, foldsCase }
    },
    stat: (path) => stat(place, path),
    list: (folder, signal) => list(place, folder, signal),
    read: (path, entry, start, end) => read(place, path, entry, start, end),
    write: (path, bytes, { precondition, length, modified }) =>
      drafts.once(path, { precondition, modified: modified && toSeconds(modified) }, async (handle) => {
        const size = await writeFrom(handle, 0, bytes, () => {})
        if (length !== undefined && size !== length)
          throw new Failure('incomplete', 'There are fewer or more bytes than were announced')
        return size
      }),
    beginDraft: (path, id) => drafts.begin(path, id),
    openDraft: (path, id) => drafts.open(path, id),
    dropDraft: (path, id) => drafts.drop(path, id),
    createFolder: (folder) => createFolder(place, folder),
    copyFile: (from, to, copy) => copyFile(place, drafts, from, to, copy),
    renameFile: (from, to, precondition) =>
      place.alone(to, () =>
        place.at(from, async (session) => {
          const [replaced] = await Promise.all([
            requireFree(place, session, to, precondition, true),
            place.folders.requireStill(session, from),
          ])
          await moveFile(session, from, to, replaced === undefined)
        }),
      ),
    renameFolder: (from, to) => renameFolder(place, from, to),
    readLink: (path) => place.at(path, (session) => readSymlink(session, path)),
    makeLink: (path, target) => makeLink(place, path, target),
    get root() {
      return root
    },
    removeFile: (path, version) => place.alone(path, () => removeFile(place, path, version)),
    removeFolder: (folder) => removeFolder(place, folder),
    setFolderTime: (folder, { seconds }) =>
      place.at(folder, (session) => setFolderAttributes(session, folder, { modified: seconds })),
    get space() {
      return abilities.tellsSpace ? () => space(place) : undefined
    },
    probe: () =>
      probe(place, folder, {
        isReadOnly,
        foldsCase(isSo) {
          foldsCase = isSo
        },
      }),
    close() {
      connections.lookups.close()
      connections.transfers.close()
    },
  }
}

interface SftpAbilities extends RemoteAbilities {
  readonly tellsSpace: boolean
}

/** Until the server was asked: no more than what every server does. */
const unknownAbilities: SftpAbilities = {
  tellsSpace: true,
  atomicReplace: false,
  conditional: false,
  foldsCase: false,
  symlinks: false,
  weaknesses: [],
}

function abilitiesOf(session: Session): SftpAbilities {
  const weaknesses = [
    'A file that another program changes twice within a second, without another size, may be taken for unchanged: the protocol tells whole seconds',
  ]
  if (!session.has('replacingRename'))
    weaknesses.push('The server cannot replace a file in one step: for a moment there is none under its name')
  if (!session.has('openssh') && !session.has('link'))
    weaknesses.push('A new file could replace one that another program makes under the same name in the same moment')
  if (!session.has('sync'))
    weaknesses.push(
      'The server does not tell when a file is on its disk: a power cut there can take what was just saved',
    )
  if (!session.has('space')) weaknesses.push('The server does not tell how much room it has')
  return {
    ...unknownAbilities,
    tellsSpace: session.has('space'),
    atomicReplace: session.has('replacingRename'),
    symlinks: session.has('openssh'),
    weaknesses,
  }
}
