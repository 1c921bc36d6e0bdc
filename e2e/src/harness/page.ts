import { JSDOM, VirtualConsole } from 'jsdom';

/** Loads a page with its scripts, which run as in a browser. The console of the page is silent. */
export const openPage = (url: string): Promise<JSDOM> => {
  const ofThisPage = (input: string, init?: RequestInit): Promise<Response> =>
    fetch(new URL(input, url), init);
  return JSDOM.fromURL(url, {
    runScripts: 'dangerously',
    resources: 'usable',
    pretendToBeVisual: true,
    virtualConsole: new VirtualConsole(),
    beforeParse: (window) => {
      Object.assign(window, { fetch: ofThisPage });
    },
  });
};
