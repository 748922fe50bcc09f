import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare.mjs'

/** Where releases and images can be downloaded, for packages that need an address. */
export const places = JSON.parse(readFileSync(join(root, 'packaging/places.json'), 'utf8'))
