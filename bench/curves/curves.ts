import { mkdirSync, rmSync, statSync } from 'node:fs'
import { exchange } from '../exchange.ts'
import { measureLoad } from '../load.ts'
import { changeEntry, writeBlocks, writeEntries } from '../subjects.ts'
import { runTool } from '../tool.ts'
import type { Curve } from './curve.ts'

/** `small` shows that all runs, `full` is what is plotted. */
export function curvesOf(scale: 'small' | 'full'): Curve[] {
  const upTo = (last: number, sizes: number[]) => (scale === 'full' ? sizes : sizes.filter((size) => size <= last))
  const bytes = upTo(1e6, [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 4e9])
  return [
    listing(upTo(1_000, [100, 1_000, 10_000, 100_000, 1_000_000])),
    download(bytes),
    upload(bytes),
    clients(upTo(4, [1, 2, 4, 8, 16, 32, 64])),
  ]
}

function listing(sizes: number[]): Curve {
  return {
    name: 'listing',
    title: 'Listing of one folder, an entry of which has just changed',
    axis: 'entries',
    sizes,
    needs: (size) => ({ files: size, bytes: size * 300 }),
    make: (disk, size) => writeEntries(disk, size, () => 'txt'),
    tool: { name: 'ls -lU', sample: ({ disk }) => runTool(['ls', '-lU', disk]) },
    sample(peer, { disk, served, size }) {
      changeEntry(disk, size)
      return exchange(peer, peer.dialect.list(served))
    },
  }
}

function download(sizes: number[]): Curve {
  return {
    name: 'download',
    title: 'Download of one file',
    axis: 'bytes',
    sizes,
    needs: (size) => ({ bytes: size }),
    make: (disk, size) => writeBlocks(disk, size, new Uint8Array(Math.min(size, 1_000_000)).fill(120)),
    tool: { name: 'cat', sample: ({ disk }) => runTool(['cat', disk]) },
    sample: (peer, { served, size }) => exchange(peer, { ...peer.dialect.download(served), bodyBytes: size }),
  }
}

const BLOCK_BYTES = 1_000_000

function upload(sizes: number[]): Curve {
  return {
    name: 'upload',
    title: 'Upload of one file',
    axis: 'bytes',
    sizes,
    needs: (size) => ({ bytes: size }),
    make: (disk) => mkdirSync(disk),
    tool: {
      name: 'dd conv=fsync',
      async sample({ disk, size }) {
        const block = Math.min(size, BLOCK_BYTES)
        const amount = [`bs=${block}`, `count=${size / block}`]
        const argv = ['dd', 'if=/dev/zero', `of=${disk}/sent.bin`, ...amount, 'conv=fsync', 'status=none']
        const taken = await runTool(argv)
        takeAway(`${disk}/sent.bin`, size)
        return taken
      },
    },
    async sample(peer, { disk, served, size }) {
      const taken = await exchange(peer, { ...peer.dialect.upload(`${served}/sent.bin`), sentBytes: size })
      takeAway(`${disk}/sent.bin`, size)
      return taken
    },
  }
}

function takeAway(path: string, size: number): void {
  const arrived = statSync(path).size
  rmSync(path)
  if (arrived !== size) throw new Error(`${arrived} of ${size} bytes arrived`)
}

function clients(sizes: number[]): Curve {
  return {
    name: 'clients',
    title: 'Listing of 20 entries, per answer',
    axis: 'clients',
    sizes,
    make: (disk) => writeEntries(disk, 20, () => 'txt'),
    sample: (peer, { served, size, notes }) => measureLoad(peer, peer.dialect.list(served).path, 1, notes, size),
  }
}
