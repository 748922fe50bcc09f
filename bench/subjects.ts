import { randomFillSync } from 'node:crypto'
import { closeSync, mkdirSync, openSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Scale } from './scale.ts'

/** What a work is done on: a name that tells it from all others, and how to make it at a path. */
export type Subject = (scale: Scale) => { name: string; make(path: string): void | Promise<void> }

/** One folder of empty files. Every `videoEvery`th is a video, beside which a server may look for subtitles. */
export function folderOf(entries: (scale: Scale) => number, videoEvery = 0): Subject {
  return (scale) => {
    const count = entries(scale)
    const extension = (index: number) => (videoEvery > 0 && index % videoEvery === 0 ? 'mp4' : 'txt')
    return {
      name: videoEvery > 0 ? `folder-${count}-videos` : `folder-${count}`,
      make: (path) => writeEntries(path, count, extension),
    }
  }
}

export const photoFolder: Subject = () => ({
  name: 'photo-folder',
  make(path) {
    writeEntries(path, 401, (index) => (index === 0 ? 'mp4' : 'jpg'))
    writeFileSync(join(path, 'README'), 'Taken in summer.\n')
  },
})

export function writeEntries(path: string, count: number, extension: (index: number) => string): void {
  mkdirSync(path)
  for (let index = 0; index < count; index++) touch(join(path, `entry-${index}.${extension(index)}`))
}

/** The last of such a folder gets another time: what a server knows of the folder is out of date. */
export function changeEntry(path: string, count: number): void {
  const now = new Date()
  utimesSync(join(path, `entry-${count - 1}.txt`), now, now)
}

const FOLDERS_PER_FOLDER = 4
const ENTRIES_PER_FOLDER = 100

/** A tree in which every folder holds 99 files and, as long as any are left, four folders. */
export const tree: Subject = ({ treeEntries }) => ({
  name: `tree-${treeEntries}`,
  make(path) {
    mkdirSync(path)
    const folders: string[] = []
    for (let index = 0; index < treeEntries / ENTRIES_PER_FOLDER; index++) {
      const parent = folders[Math.floor(index / FOLDERS_PER_FOLDER) - 1] ?? path
      const folder = join(parent, `folder-${index}`)
      folders.push(folder)
      mkdirSync(folder)
      for (let file = 1; file < ENTRIES_PER_FOLDER; file++) touch(join(folder, `entry-${file}.txt`))
    }
  },
})

export const bigFile: Subject = ({ fileBytes }) => ({
  name: `file-${fileBytes}.bin`,
  make(path) {
    writeBlocks(path, fileBytes, randomFillSync(new Uint8Array(1_000_000)))
  },
})

/** Folders of small files. */
export const smallFiles: Subject = ({ copiedFiles }) => ({
  name: `files-${copiedFiles}`,
  make: (path) => writeSmallFiles(path, copiedFiles),
})

/** The same, and one large file beside them. */
export const mixedFiles: Subject = ({ copiedFiles, fileBytes }) => ({
  name: `files-${copiedFiles}-and-large`,
  make(path) {
    writeSmallFiles(path, copiedFiles)
    writeBlocks(join(path, 'large.bin'), fileBytes / 4, randomFillSync(new Uint8Array(1_000_000)))
  },
})

function writeSmallFiles(path: string, count: number): void {
  mkdirSync(path)
  const bytes = randomFillSync(new Uint8Array(8_192))
  for (let index = 0; index < count; index++) {
    const folder = join(path, `folder-${Math.floor(index / ENTRIES_PER_FOLDER)}`)
    if (index % ENTRIES_PER_FOLDER === 0) mkdirSync(folder)
    writeFileSync(join(folder, `entry-${index}.bin`), bytes)
  }
}

/** Files of words, as logs and sources are. */
export const texts: Subject = ({ textBytes }) => ({
  name: `texts-${textBytes}`,
  make(path) {
    mkdirSync(path)
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index * 7919} ${wordsOf(index * 2_654_435_761)}\n`)
    const block = new TextEncoder().encode(lines.join(''))
    for (let index = 0; index < 8; index++) writeBlocks(join(path, `text-${index}.txt`), textBytes / 8, block)
  },
})

const words = 'the server answers a request with what lies on disk and tells each client when it changes'.split(' ')

function wordsOf(seed: number): string {
  return Array.from({ length: 12 }, (_, index) => words[(seed >>> (index * 2)) % words.length]).join(' ')
}

/** Photos of 12 megapixels, noisy as those of a telephone in the evening. */
export const photos: Subject = ({ photos }) => ({
  name: `photos-${photos}`,
  async make(path) {
    mkdirSync(path)
    for (let index = 0; index < photos; index++) {
      const noise = { type: 'gaussian', mean: 128, sigma: 20 + index } as const
      await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#888', noise } })
        .jpeg({ quality: 85 })
        .toFile(join(path, `photo-${index}.jpg`))
    }
  },
})

export function writeBlocks(path: string, bytes: number, block: Uint8Array): void {
  const file = openSync(path, 'w')
  for (let left = bytes; left > 0; ) left -= writeSync(file, block, 0, Math.min(left, block.length))
  closeSync(file)
}

function touch(path: string): void {
  closeSync(openSync(path, 'w'))
}
