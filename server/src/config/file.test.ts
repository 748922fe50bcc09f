import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configFilesIn, readConfigFile } from './file.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0

/** A new folder with these files in it. */
function folderWith(files: Record<string, string>): string {
  count += 1
  const path = join(folder, String(count))
  mkdirSync(path)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content)
  return path
}

test.each([
  ['json', '{"PORT": 9000, "baseurl": "/files", "disableExec": false, "log": null}'],
  ['yaml', 'Port: 9000\nBASEURL: /files\ndisableexec: false\n'],
  ['yml', 'port: 9000\nbaseURL: /files\ndisable-exec: false\n'],
  ['toml', 'port = 9000\nbaseURL = "/files"\ndisableExec = false\n'],
])('reads %s, whatever the case of its keys', (end, content) => {
  const path = join(folderWith({ [`settings.${end}`]: content }), `settings.${end}`)
  expect(readConfigFile(path, [])).toEqual({
    path,
    values: { port: 9000, baseURL: '/files', disableExec: false },
    notices: [],
  })
})

test('a list becomes what a flag would say', () => {
  const path = join(folderWith({ 'a.yaml': 'trustedProxies:\n  - 10.0.0.0/8\n  - ::1\n' }), 'a.yaml')
  expect(readConfigFile(path, []).values).toEqual({ trustedProxies: '10.0.0.0/8,::1' })
})

test('an unknown key is told and changes nothing', () => {
  const path = join(folderWith({ 'a.json': '{"prot": 80}' }), 'a.json')
  expect(readConfigFile(path, [])).toEqual({
    path,
    values: {},
    notices: [`Unknown key "prot" in ${path} is ignored; did you mean "port"?`],
  })
  const far = join(folderWith({ 'b.json': '{"colour": "red"}' }), 'b.json')
  expect(readConfigFile(far, []).notices).toEqual([`Unknown key "colour" in ${far} is ignored`])
})

test.each([
  ['a.json', '{\n  "port": 80,\n  "root": }\n', 3],
  ['b.json', '{\n  "port": 80\n  "root": "/srv"\n}\n', 3],
  ['a.yaml', 'port: 80\n\tlog: stdout\n', 2],
  ['a.toml', 'port = 80\nlog = = "stdout"\nroot = "/srv"\n', 2],
])('tells the line of a mistake in %s', (name, content, line) => {
  const path = join(folderWith({ [name]: content }), name)
  expect(() => readConfigFile(path, [])).toThrow(`The config file ${path} has a mistake in line ${line}: `)
})

test('in /etc/filestead the name need not be hidden', () => {
  const [here, there] = [configFilesIn(['/home/ann']), configFilesIn(['/etc/filestead'])]
  expect(here).not.toContain('/home/ann/filestead.yaml')
  expect(there).toContain('/etc/filestead/filestead.yaml')
  expect(there).toContain('/etc/filestead/.filestead.yaml')
})

test.each([
  ['a.json', '{"port": }'],
  ['a.toml', 'port = = 80'],
  ['a.yaml', 'port: ['],
  ['a.json', '[80]'],
  ['a.yaml', 'just words'],
  ['a.ini', 'port=80'],
])('refuses %s with %j in one line', (name, content) => {
  const path = join(folderWith({ [name]: content }), name)
  expect(() => readConfigFile(path, [])).toThrow(new RegExp(`^The config file ${path} [^\n]*$`))
})

test('a file that was named must be there', () => {
  expect(() => readConfigFile('/nowhere/a.json', [])).toThrow('The config file /nowhere/a.json does not exist')
})

test('without a name the first folder wins, then our own name, then the order of formats', () => {
  const [first, second] = [
    folderWith({ '.filebrowser.yml': 'port: 1', '.filebrowser.toml': 'port = 2' }),
    folderWith({ '.filestead.json': '{"port": 3}', '.filebrowser.json': '{"port": 4}' }),
  ]
  expect(readConfigFile(undefined, [folder, first, second]).values).toEqual({ port: 2 })
  expect(readConfigFile(undefined, [folder, second, first]).values).toEqual({ port: 3 })
  expect(readConfigFile(undefined, [folder])).toEqual({ path: undefined, values: {}, notices: [] })
})

test('one that cannot be read is passed over', () => {
  const here = folderWith({ '.filebrowser.json': '{"port": 4}' })
  // A folder stands for a file without permission: root may read every file.
  mkdirSync(join(here, '.filestead.json'))
  chmodSync(join(here, '.filestead.json'), 0)
  const { values, notices } = readConfigFile(undefined, [here])
  expect(values).toEqual({ port: 4 })
  expect(notices).toEqual([`The config file ${join(here, '.filestead.json')} cannot be read; passing it over`])
})
