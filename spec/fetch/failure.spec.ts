import { expect } from 'chai'
import { toFailure } from '../../lib/fetch/failure.js'

describe('toFailure', () => {
  /** As Node gives it where the other side refuses HTTP/1.1: the text ends with a line end. */
  const alert = Object.assign(new Error('80AC69A8:error:0A000460:SSL routines:ssl3_read_bytes:tlsv1 alert no application protocol\n'), {
    code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
  })

  for (const { what, thrown, failureClass, message } of [
    {
      what: 'OpenSSL’s line end',
      thrown: alert,
      failureClass: 'tls',
      message: 'TLS: 80AC69A8:error:0A000460:SSL routines:ssl3_read_bytes:tlsv1 alert no application protocol',
    },
    { what: 'lines', thrown: new Error('first\r\n  second\n'), failureClass: 'protocol', message: 'first second' },
    {
      what: 'a code that has words',
      thrown: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      failureClass: 'disconnect',
      message: 'connection reset (read ECONNRESET)',
    },
  ])
    it(`gives one line for people: ${what}`, () => expect(toFailure(thrown)).to.include({ failureClass, message }))
})
