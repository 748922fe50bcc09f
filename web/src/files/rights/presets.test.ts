import { describe, expect, test } from 'bun:test'
import { completeRights, rightNames, rightsIn } from '@filestead/contract'
import { allRights, completed, presetOf, presets, toggled } from './presets.ts'

describe('sets of rights', () => {
  test('the rights are those of the contract, in its order', () => {
    expect<readonly string[]>(allRights).toEqual(rightNames)
  })

  test('every preset is stored as it is shown', () => {
    for (const { rights } of presets) expect(rightsIn(completeRights(rights))).toEqual([...rights])
  })

  test('a set is called by its name in any order, and has none where it is no preset', () => {
    expect(presetOf(['download', 'see'])).toBe('download')
    expect(presetOf([])).toBe('nothing')
    expect(presetOf(['see', 'create'])).toBeNull()
  })

  test('every set is completed as the server does it', () => {
    for (let bits = 0; bits < 64; bits += 1) {
      const rights = allRights.filter((_, index) => (bits & (1 << index)) !== 0)
      expect(completed(rights)).toEqual(rightsIn(completeRights(rights)))
    }
  })

  test('a tick brings along what it needs, and takes along what needs it', () => {
    expect(toggled(['create'], 'share', true)).toEqual(['see', 'download', 'create', 'share'])
    expect(toggled(['see', 'download', 'create', 'share'], 'download', false)).toEqual(['see', 'create'])
    expect(toggled(['see', 'download', 'create'], 'see', false)).toEqual(['create'])
  })
})
