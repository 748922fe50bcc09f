import { expect, test } from 'bun:test'
import { closeToast, shownToasts, toastError, toastSuccess } from './toasts.ts'

const texts = () => shownToasts().map(({ text }) => text)

test('at most five are shown; what worked gives way before what did not', () => {
  toastError('broken')
  for (let number = 1; number <= 5; number += 1) toastSuccess(`done ${number}`)
  expect(texts()).toEqual(['broken', ...Array.from({ length: 4 }, (_, index) => `done ${index + 2}`)])

  for (let number = 1; number <= 4; number += 1) toastError(`broken ${number}`)
  toastError('the last straw')
  expect(texts()).toEqual([...Array.from({ length: 4 }, (_, index) => `broken ${index + 1}`), 'the last straw'])
})

test('the same refusal is said once, and again when it was closed', () => {
  for (const { id } of shownToasts()) closeToast(id)
  toastError('no')
  toastError('no')
  expect(texts()).toEqual(['no'])
})
