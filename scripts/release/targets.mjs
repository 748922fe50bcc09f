/** What a release can be made for. Only the first is started by the tests; the others are made the same way. */
export const targets = [
  { name: 'linux-x64', runtime: 'bun-linux-x64', cpu: 'x64', libc: 'glibc' },
  // The usual runtime wants AVX2, which the processors of small home servers lack.
  { name: 'linux-x64-baseline', runtime: 'bun-linux-x64-baseline', cpu: 'x64', libc: 'glibc' },
  { name: 'linux-arm64', runtime: 'bun-linux-aarch64', cpu: 'arm64', libc: 'glibc' },
  { name: 'linux-x64-musl', runtime: 'bun-linux-x64-musl', cpu: 'x64', libc: 'musl' },
  { name: 'linux-arm64-musl', runtime: 'bun-linux-aarch64-musl', cpu: 'arm64', libc: 'musl' },
]

export const provenTarget = targets[0]

export const isProven = ({ name }) => name === provenTarget.name

export const unproven = `This release was put together on another kind of machine and has never been started on yours.
It is made of the same parts as the one for linux-x64, which is tested with every build.
Run ./filestead doctor first, and please tell us how it went.
`
