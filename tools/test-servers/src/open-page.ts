import { setTimeout as pause } from 'node:timers/promises';
import type { DOMWindow } from 'jsdom';

/** A page that is open in jsdom. */
export interface OpenPage {
  readonly window: DOMWindow;
  /** Lets its requests end before the window closes: scripts that go on in a closed window would fail. */
  close(): Promise<void>;
}

/** Long enough for scripts to handle an answer that they have got. */
const HANDLING_MS = 50;

/** Loads a page; its scripts have run as in a browser when this resolves. The console of the page is silent. */
export const openPage = async (url: string): Promise<OpenPage> => {
  // Loaded when a page is opened: most specs that use the servers open none.
  const { JSDOM, VirtualConsole } = await import('jsdom');
  const requests = new Set<Promise<unknown>>();
  let isClosing = false;
  const ofThisPage = (input: string | Request, init?: RequestInit): Promise<Response> => {
    if (isClosing) return new Promise(() => undefined);
    const answer = fetch(typeof input === 'string' ? new URL(input, url) : input, init);
    requests.add(answer);
    return answer;
  };
  const { window } = await JSDOM.fromURL(url, {
    runScripts: 'dangerously',
    resources: 'usable',
    pretendToBeVisual: true,
    virtualConsole: new VirtualConsole(),
    beforeParse: (opened) => {
      Object.assign(opened, { fetch: ofThisPage, Request, Response, Headers });
    },
  });
  if (window.document.readyState !== 'complete')
    await new Promise((resolve) => {
      window.addEventListener('load', resolve);
    });
  const close = async (): Promise<void> => {
    isClosing = true;
    await Promise.allSettled(requests);
    await pause(HANDLING_MS);
    window.close();
  };
  return { window, close };
};
