import { JSDOM, VirtualConsole } from 'jsdom';

/** Loads a page with its scripts, which run as in a browser. The console of the page is silent. */
export const openPage = (url: string): Promise<JSDOM> => {
  const ofThisPage = (input: string | Request, init?: RequestInit): Promise<Response> =>
    fetch(typeof input === 'string' ? new URL(input, url) : input, init);
  return JSDOM.fromURL(url, {
    runScripts: 'dangerously',
    resources: 'usable',
    pretendToBeVisual: true,
    virtualConsole: new VirtualConsole(),
    beforeParse: (window) => {
      Object.assign(window, { fetch: ofThisPage, Request, Response, Headers });
    },
  });
};
