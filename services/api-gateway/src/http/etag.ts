import type { Response } from 'express';

/** A version that nothing has: for a tag that is none of ours. */
const NO_VERSION = -1;

const TAG = /^"(\d{1,15})"$/;

/** The version that the caller has seen, by its `If-Match`; undefined where any will do. */
export const versionIn = (ifMatch: string | undefined): number | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const version = TAG.exec(ifMatch.trim())?.[1];
  return version === undefined ? NO_VERSION : Number(version);
};

export const setETag = (response: Response, version: number): void => {
  response.set('ETag', `"${version}"`);
};
