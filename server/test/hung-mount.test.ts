import { expect, test } from 'bun:test'
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from './process.ts'

const canMount = process.getuid?.() === 0 && existsSync('/dev/fuse') && Bun.which('mount') !== null

/** Mounts a file system whose server never answers: every access sleeps until the mount is aborted. */
function mountHung(place: string): { giveUp(): void } | undefined {
  const fuse = openSync('/dev/fuse', 'r+')
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
  const { exitCode } = Bun.spawnSync(['mount', '-i', '-t', 'fuse', '-o', options, 'hung', place], {
    stdio: ['ignore', 'ignore', 'ignore', fuse],
  })
  if (exitCode !== 0) closeSync(fuse)
  const giveUp = () => {
    closeSync(fuse)
    Bun.spawnSync(['umount', '-l', place])
  }
  return exitCode === 0 ? { giveUp } : undefined
}

test.if(canMount)('files beside a hanging mount are served', async () => {
  await using program = await startProgram()
  for (const name of ['nas', 'fast']) mkdirSync(join(program.root, name))
  writeFileSync(join(program.root, 'fast/a.txt'), 'a')
  const hung = mountHung(join(program.root, 'nas'))
  // Containers may forbid it.
  if (hung === undefined) return
  try {
    // Right after a quick answer of the healthy one, which holds the folder that both are in.
    expect((await program.ask('/api/raw/fast/a.txt')).status).toBe(200)
    let ended = 0
    const hanging = ['/api/resources/', '/api/resources/nas', '/api/usage/nas', '/api/raw/nas/a.txt'].map(
      async (path) => {
        await program.ask(path).catch(() => undefined)
        ended += 1
      },
    )
    for (let count = 0; count < 3; count += 1) {
      expect((await fetch(`${program.url}/health`)).status).toBe(200)
      expect((await program.ask('/api/raw/fast/a.txt')).status).toBe(200)
      expect((await program.ask('/api/resources/fast')).status).toBe(200)
    }
    expect(ended).toBe(0)
    hung.giveUp()
    await Promise.all(hanging)
    expect((await program.ask('/api/resources/')).status).toBe(200)
  } finally {
    Bun.spawnSync(['umount', '-l', join(program.root, 'nas')])
  }
})
