import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Account, parseAccount } from './peer.ts'
import { type ForeignName, foreignNames } from './peers/installed.ts'
import { isScaleName, type ScaleName, scales } from './scale.ts'

export interface Options {
  accounts: Account[]
  /** Other versions of Filestead that the run starts itself. */
  versions: { name: string; program: string }[]
  foreign: ForeignName[]
  root?: string
  only: string[]
  curves: boolean
  rounds: number
  scale: ScaleName
  keep: boolean
  json?: string
  html: string
  docs: boolean
  again?: string
  help: boolean
}

export const usage = `The same work against several servers, and beside them the system's own tool.

  --peer NAME=URL,USER,PASSWORD  a running server with the same API; repeatable; without any, Filestead is started
  --root DIR                     the folder that all peers serve; needed with --peer
  --also NAME=PROGRAM            another version of Filestead to start, by its program; repeatable
  --with NAME,...                ${foreignNames.join(', ')} or none (all that are installed; with --peer none)
  --only NAME,...                only these works: a full name, or its start as in "listing"; or fairness, or curves
  --curves                       measure cost against size as well, which takes some minutes
  --rounds N                     how often each work is done, at most (3)
  --scale small|full             small for a quick check, full for figures (full)
  --keep                         leave what was made for the run
  --json FILE                    write all samples
  --html FILE                    where the plots go (bench/report.html)
  --docs                         all of it, with curves, into docs/performance.md and its pictures
  --again FILE                   measure nothing, write the reports of a --json file anew
  --help                         this text`

export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      peer: { type: 'string', multiple: true, default: [] },
      also: { type: 'string', multiple: true, default: [] },
      with: { type: 'string', multiple: true },
      root: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      curves: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      scale: { type: 'string', default: 'full' },
      keep: { type: 'boolean', default: false },
      json: { type: 'string' },
      html: { type: 'string', default: resolve(import.meta.dir, 'report.html') },
      docs: { type: 'boolean', default: false },
      again: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { peer, also, root, rounds, scale, docs } = values
  if (!/^[1-9]\d*$/.test(rounds)) throw new Error('--rounds takes a whole number from 1')
  if (!isScaleName(scale)) throw new Error(`--scale takes ${Object.keys(scales).join(' or ')}`)
  if (peer.length > 0 && root === undefined) throw new Error('--peer needs --root, the folder that all peers serve')
  if (root !== undefined && !statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`--root: ${root} is not a folder`)
  }
  const accounts = peer.map(parseAccount)
  const versions = also.map(parseVersion)
  const names = [...accounts, ...versions].map(({ name }) => name).concat(foreignNames)
  if (new Set(names).size < names.length) throw new Error('two peers have one name')
  const only = toList(values.only)
  if (docs && (only.length > 0 || scale !== 'full')) throw new Error('--docs is for a whole run at full scale')
  return {
    accounts,
    versions,
    foreign: parseForeign(values.with, accounts.length > 0),
    root: root === undefined ? undefined : resolve(root),
    only,
    curves: values.curves || docs,
    rounds: Number(rounds),
    scale,
    keep: values.keep,
    json: values.json,
    html: values.html,
    docs,
    again: values.again,
    help: values.help,
  }
}

function parseVersion(text: string): { name: string; program: string } {
  const [, name, program] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (!name || !program) throw new Error('--also is written NAME=PROGRAM')
  if (!statSync(program, { throwIfNoEntry: false })?.isFile()) throw new Error(`--also: ${program} is not a program`)
  return { name, program: resolve(program) }
}

function parseForeign(lists: readonly string[] | undefined, hasPeers: boolean): ForeignName[] {
  if (lists === undefined) return hasPeers ? [] : foreignNames
  const wanted = toList(lists).filter((name) => name !== 'none')
  const unknown = wanted.find((name) => !foreignNames.includes(name as ForeignName))
  if (unknown !== undefined) throw new Error(`--with takes ${foreignNames.join(', ')} or none`)
  return foreignNames.filter((name) => wanted.includes(name))
}

function toList(lists: readonly string[]): string[] {
  return lists.flatMap((list) => list.split(',')).filter((name) => name !== '')
}
