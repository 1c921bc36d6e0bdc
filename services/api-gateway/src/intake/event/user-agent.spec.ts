import { leafOf, textOf } from './leaf';
import { agentOf } from './user-agent';
import { browserNamed, osNamed } from './vocabulary';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/120.0.0.0 Safari/537.36`,
    'Chrome',
    'Windows',
    '10',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0`,
    'Edge',
    'Windows',
    '10',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/120.0.0.0 Safari/537.36`,
    'Chrome',
    'Chrome OS',
    undefined,
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-S901B) ${WEBKIT} SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet',
    'Android',
    '13',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
    'Safari',
    'iOS',
    '17.0',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15',
    'Safari',
    'macOS',
    '10.15.7',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/121.0',
    'Firefox',
    'Linux',
    undefined,
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/120.0.0.0 Safari/537.36 OPR/106.0.0.0`,
    'Opera',
    'Windows',
    '10',
  ],
])('%s', (userAgent, browser, os, osVersion) => {
  const agent = agentOf(leafOf(userAgent));
  expect(textOf(agent.browser.name)).toBe(browser);
  expect(agent.browser.other).toBeUndefined();
  expect(textOf(agent.os.name)).toBe(os);
  expect(agent.osVersion && textOf(agent.osVersion)).toBe(osVersion);
  expect(agentOf(leafOf(userAgent))).toBe(agent);
});

it.each([
  ['curl/8.1.2', 'curl', 'Unknown'],
  ['x', 'x', 'Unknown'],
  ['(nothing)', 'Unknown', 'Unknown'],
  [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Googlebot',
    'Unknown',
  ],
  [`${'x'.repeat(2_000)}/1`, 'x'.repeat(100), 'Unknown'],
])('%s is Other', (userAgent, browser, os) => {
  const agent = agentOf(leafOf(userAgent));
  expect(agent.browser).toEqual({ name: '"Other"', other: leafOf(browser) });
  expect(agent.os).toEqual({ name: '"Other"', other: leafOf(os) });
});

it.each([
  ['chrome', 'Chrome'],
  ['SAFARI', 'Safari'],
  ['Samsung internet', 'Samsung Internet'],
  ['Microsoft Edge', 'Edge'],
])('browser %s is %s', (given, name) => {
  expect(browserNamed(given)).toEqual({ name: leafOf(name), other: undefined });
});

it.each([
  ['darwin', 'macOS'],
  ['Mac OS X', 'macOS'],
  ['ChromeOS', 'Chrome OS'],
  ['IOS', 'iOS'],
  ['other', 'Other'],
])('system %s is %s', (given, name) => {
  expect(osNamed(given)).toEqual({ name: leafOf(name), other: undefined });
});

it('keeps an unknown name as sent', () => {
  expect(osNamed('HarmonyOS')).toEqual({ name: '"Other"', other: '"HarmonyOS"' });
});
