import { callApi } from '../people.ts'
import { expect, test } from '../product.ts'

const most = 2_147_483_647

test('what is shared has a mark in the listing, which goes with it and ends with its link', async ({
  page,
  product,
}) => {
  await product.put({ 'Box/': '', 'marked letter.txt': 'Dear reader', 'other.txt': '' })
  await callApi(product, 'POST', 'share/marked%20letter.txt', {})
  await product.signIn(page)
  const markOf = (name: string) => page.getByRole('row', { name, exact: true }).getByRole('img', { name: 'Shared' })
  await expect(markOf('marked letter.txt')).toBeVisible()
  await expect(page.getByRole('img', { name: 'Shared' })).toHaveCount(1)
  await page.getByRole('row', { name: 'marked letter.txt', exact: true }).click()
  const selection = page.getByRole('toolbar', { name: 'Selection actions' })
  await selection.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'New name' }).fill('marked and renamed.txt')
  await page.keyboard.press('Enter')
  await expect(markOf('marked and renamed.txt')).toBeVisible()

  await page.getByRole('row', { name: 'marked and renamed.txt', exact: true }).click()
  await selection.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share' })
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog', { name: 'Delete share' }).getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(markOf('marked and renamed.txt')).toHaveCount(0)
})

test('a link may stay for any number of units up to the limit, and more is refused beside the field', async ({
  page,
  product,
}) => {
  await product.put({ 'Treasure/': '' })
  await product.signIn(page)
  await page.getByRole('row', { name: 'Treasure', exact: true }).click()
  await page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share' })
  const duration = dialog.getByRole('spinbutton', { name: 'Share Duration' })
  const unit = dialog.getByRole('combobox', { name: 'Time Unit' })
  await expect(duration).toHaveAttribute('max', String(most))

  const asked: string[] = []
  page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()))
  await unit.selectOption('Days')
  await duration.fill(String(most + 1))
  await expect(dialog.getByRole('alert')).toHaveText('At most 2,147,483,647')
  await dialog.getByRole('button', { name: 'Share' }).click()
  await expect(duration).toBeFocused()
  expect(asked).toEqual([])

  await duration.fill(String(most))
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  await expect(dialog).toContainText(/The link ends in 5,8\d\d,\d{3} years\./)
  await dialog.getByRole('button', { name: 'Share' }).click()
  const links = dialog.getByRole('table', { name: 'Share links' })
  await expect(links.getByRole('row').filter({ hasText: /in 5,8\d\d,\d{3} years/ })).toHaveCount(1)

  for (const each of ['Hours', 'Minutes', 'Seconds']) {
    await dialog.getByRole('button', { name: 'New' }).click()
    await duration.fill(String(most))
    await unit.selectOption(each)
    await dialog.getByRole('button', { name: 'Share' }).click()
    await expect(duration).toHaveCount(0)
  }
  const shares = (await (await callApi(product, 'GET', 'share/Treasure')).json()) as { expire: number }[]
  expect(shares.map(({ expire }) => Math.round((expire - Date.now() / 1000) / most)).sort((a, b) => a - b)).toEqual([
    1, 60, 3600, 86_400,
  ])
  await page.goto(new URL('settings/shares', product.url).href)
  const table = page.getByRole('table', { name: 'Share Management' })
  for (const years of [/in 5,8\d\d,\d{3} years/, /in 24\d,\d{3} years/, /in 4,0\d\d years/, /in 68 years/])
    await expect(table.getByRole('row').filter({ hasText: years })).toHaveCount(1)
})
