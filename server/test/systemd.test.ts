import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { program } from '../src/cli/program.ts'
import { launcher } from './process.ts'

setDefaultTimeout(120_000)

const unit = readFileSync(join(import.meta.dirname, '../../packaging/systemd/filestead.service'), 'utf8')

describe.if(Bun.which('systemd-analyze') !== null)('the systemd unit', () => {
  function analyze(...args: string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'filestead-unit-'))
    const file = join(folder, 'filestead.service')
    writeFileSync(file, unit.replaceAll('/opt/filestead/filestead', launcher))
    const { status, stderr, stdout } = spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    return { status, stderr, stdout }
  }

  test('is accepted by systemd', () => {
    const { status, stderr } = analyze('verify')
    expect({ status, complaints: stderr.split('\n').filter((line) => line.includes('filestead.service')) }).toEqual({
      status: 0,
      complaints: [],
    })
  })

  test('confines the process of the server', () => {
    const { status, stdout } = analyze('security', '--offline=true', '--threshold=20', '--no-pager')
    expect([status, /exposure level.*/.exec(stdout)?.[0]]).toEqual([0, expect.stringContaining('OK')])
  })
})

test('the command of the systemd unit is accepted by the program', () => {
  const [, ...words] = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(' ') ?? []
  const { unknown } = program().parseOptions(words)
  expect([words.length > 0, unknown]).toEqual([true, []])
})
