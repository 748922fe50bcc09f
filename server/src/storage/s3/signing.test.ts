import { expect, test } from 'bun:test'
import { canonicalRequest, emptyPayload, encodedPath, type Signable, signedHeaders, signedQuery } from './signing.ts'

/** The example that Amazon publishes with the description of the signature. */
const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const options = { keys, region: 'us-east-1', at: new Date('2013-05-24T00:00:00Z') }
const host = 'examplebucket.s3.amazonaws.com'
const get: Signable = { method: 'GET', host, path: '/test.txt', query: [], headers: { range: 'bytes=0-9' } }

const signatureIn = (request: Signable, payload = emptyPayload) =>
  /Signature=(\w+)$/.exec(signedHeaders(request, payload, options).authorization ?? '')?.[1]

test('the canonical request of a GET with a range', () => {
  const headers = { ...get.headers, host, 'x-amz-content-sha256': emptyPayload, 'x-amz-date': '20130524T000000Z' }
  expect(canonicalRequest({ ...get, headers }, emptyPayload)).toBe(
    [
      'GET',
      '/test.txt',
      '',
      `host:${host}`,
      'range:bytes=0-9',
      `x-amz-content-sha256:${emptyPayload}`,
      'x-amz-date:20130524T000000Z',
      '',
      'host;range;x-amz-content-sha256;x-amz-date',
      emptyPayload,
    ].join('\n'),
  )
})

test('the published signatures: GET with a range, PUT, lifecycle, list', () => {
  expect(signatureIn(get)).toBe('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41')
  const put = {
    ...get,
    method: 'PUT',
    path: encodedPath('/test$file.text'),
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
  }
  expect(signatureIn(put, '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072')).toBe(
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  )
  expect(signatureIn({ ...get, path: '/', query: [['lifecycle', '']], headers: {} })).toBe(
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  )
  const query = [['prefix', 'J'] as const, ['max-keys', '2'] as const]
  expect(signatureIn({ ...get, path: '/', query, headers: {} })).toBe(
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  )
})

test('the published address that holds for a day', () => {
  const query = signedQuery({ ...get, headers: {} }, 86_400, options)
  expect(query).toContain('X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request')
  expect(query).toEndWith('&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
})

test('every character of a name is encoded, but for the slash', () => {
  expect(encodedPath("/a b/+%&=!'()*~ü\n")).toBe('/a%20b/%2B%25%26%3D%21%27%28%29%2A~%C3%BC%0A')
})

test('a session token is signed, and the secret is nowhere', () => {
  const headers = signedHeaders(get, emptyPayload, { ...options, keys: { ...keys, sessionToken: 'the token' } })
  expect(headers.authorization).toContain('x-amz-security-token')
  expect(JSON.stringify(headers)).not.toContain(keys.secretAccessKey)
})
