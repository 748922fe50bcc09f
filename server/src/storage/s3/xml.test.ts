import { expect, test } from 'bun:test'
import { childrenOf, escaped, isXmlText, parseXml, textOf } from './xml.ts'

test('elements, texts, entities and namespaces', () => {
  const list = parseXml(
    '<?xml version="1.0" encoding="UTF-8"?>\n<List xmlns="http://s3/doc"><Key>a &amp; b&#10;&#x1F600;</Key><Key/><x:Key>' +
      '<![CDATA[<raw>]]></x:Key><!-- none --><Token>t</Token></List>\n',
  )
  expect(childrenOf(list, 'Key').map(({ text }) => text)).toEqual(['a & b\n😀', '', '<raw>'])
  expect([textOf(list, 'Token'), textOf(list, 'Missing')]).toEqual(['t', ''])
})

test.each([
  '',
  'no xml',
  '<a>',
  '<a></b>',
  '<a/><b/>',
  '<a>&unknown;</a>',
  '<a>& </a>',
  '<a>&#0;</a>',
  '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
  '<a>text',
  'text<a/>',
  '<a b=c/>',
  '<a>'.repeat(20) + '</a>'.repeat(20),
])('%j is refused', (text) => {
  expect(() => parseXml(text)).toThrow('no XML')
})

test('what is escaped is read again', () => {
  const text = `<&>"'\r\n\t ü😀`
  expect(parseXml(`<a>${escaped(text)}</a>`).text).toBe(text)
  expect([isXmlText(text), isXmlText('\u0001'), isXmlText('a\u000b')]).toEqual([true, false, false])
})
