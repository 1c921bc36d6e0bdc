import { NoAnswer } from '../connector/guarded-http';

/** @throws NoAnswer unless it is an http or https URL without a user. */
export const httpUrl = (text: string): URL => {
  const url = parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new NoAnswer('URL is not an http or https URL');
  if (url.username !== '' || url.password !== '') throw new NoAnswer('URL names a user');
  return url;
};

const parse = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
