import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Account, parseAccount } from './peer.ts'
import { isScaleName, type ScaleName, scales } from './scale.ts'

export interface Options {
  accounts: Account[]
  root?: string
  only: string[]
  rounds: number
  scale: ScaleName
  keep: boolean
  json?: string
  help: boolean
}

export const usage = `The same work against any server that speaks the API, and beside it the system's own tool.

  --peer NAME=URL,USER,PASSWORD  a server to measure; repeatable; without any, Filestead is started
  --root DIR                     the folder that all peers serve; needed with --peer
  --only NAME,...                only these works: a full name, or its start as in "listing"
  --rounds N                     how often each work is done (5)
  --scale small|full             small for a quick check, full for figures (full)
  --keep                         leave what was made for the run
  --json FILE                    write all samples
  --help                         this text`

export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      peer: { type: 'string', multiple: true, default: [] },
      root: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: '5' },
      scale: { type: 'string', default: 'full' },
      keep: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { peer, root, only, rounds, scale, keep, json, help } = values
  if (!/^[1-9]\d*$/.test(rounds)) throw new Error('--rounds takes a whole number from 1')
  if (!isScaleName(scale)) throw new Error(`--scale takes ${Object.keys(scales).join(' or ')}`)
  if (peer.length > 0 && root === undefined) throw new Error('--peer needs --root, the folder that all peers serve')
  if (root !== undefined && !statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`--root: ${root} is not a folder`)
  }
  const accounts = peer.map(parseAccount)
  if (new Set(accounts.map(({ name }) => name)).size < accounts.length) throw new Error('two peers have one name')
  const names = only.flatMap((list) => list.split(',')).filter((name) => name !== '')
  return {
    accounts,
    root: root === undefined ? undefined : resolve(root),
    only: names,
    rounds: Number(rounds),
    scale,
    keep,
    json,
    help,
  }
}
