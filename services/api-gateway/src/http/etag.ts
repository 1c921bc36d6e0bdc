import type { Response } from 'express';

/** Matches no object: stands for a tag that is not a version of ours. */
const NO_VERSION = -1;

const TAG = /^"(\d{1,15})"$/;

/** Reads the expected version from `If-Match`; undefined when any version is accepted. */
export const versionIn = (ifMatch: string | undefined): number | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const version = TAG.exec(ifMatch.trim())?.[1];
  return version === undefined ? NO_VERSION : Number(version);
};

export const setETag = (response: Response, version: number): void => {
  response.set('ETag', `"${version}"`);
};
