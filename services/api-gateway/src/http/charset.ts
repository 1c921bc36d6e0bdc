import type { IncomingHttpHeaders } from 'node:http';
import { HttpRefusal } from './http-refusal';

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/**
 * Checks the charset of a request's content type.
 *
 * @throws HttpRefusal UnsupportedMediaType on a charset other than UTF-8; the media type is not checked.
 */
export const checkCharset = ({ 'content-type': contentType }: IncomingHttpHeaders): void => {
  const charset = contentType === undefined ? undefined : CHARSET.exec(contentType)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new HttpRefusal('UnsupportedMediaType', { because: 'charset must be utf-8' });
};
