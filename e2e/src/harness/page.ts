import { JSDOM, VirtualConsole } from 'jsdom';

/** Loads a page; its scripts have run as in a browser when this resolves. The console of the page is silent. */
export const openPage = async (url: string): Promise<JSDOM> => {
  const ofThisPage = (input: string, init?: RequestInit): Promise<Response> =>
    fetch(new URL(input, url), init);
  const page = await JSDOM.fromURL(url, {
    runScripts: 'dangerously',
    resources: 'usable',
    pretendToBeVisual: true,
    virtualConsole: new VirtualConsole(),
    beforeParse: (window) => {
      Object.assign(window, { fetch: ofThisPage });
    },
  });
  const { window } = page;
  if (window.document.readyState !== 'complete')
    await new Promise((resolve) => {
      window.addEventListener('load', resolve);
    });
  return page;
};
