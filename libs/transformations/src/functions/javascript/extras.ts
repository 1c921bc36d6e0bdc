/**
 * Completes the web platform's globals that the engine's extensions implement only in part; runs before the prelude.
 */
export const EXTRAS = String.raw`(() => {
'use strict';
const { defineProperty } = Object;
const Native = URLSearchParams;
const pairsOf = (init) => (Symbol.iterator in init ? [...init] : Object.entries(init));
globalThis.URLSearchParams = new Proxy(Native, {
  construct(target, [init = ''], newTarget) {
    if (typeof init !== 'object' || init === null) return Reflect.construct(target, [String(init)], newTarget);
    const query = Reflect.construct(target, [''], newTarget);
    for (const [name, value] of pairsOf(init)) query.append(String(name), String(value));
    return query;
  },
});
Native.prototype.constructor = globalThis.URLSearchParams;
const params = new WeakMap();
const follow = (url) => {
  const known = params.get(url);
  if (known) return known;
  const query = new URLSearchParams(url.search);
  for (const name of ['append', 'delete', 'set', 'sort']) {
    const change = URLSearchParams.prototype[name];
    defineProperty(query, name, {
      value(...values) { change.apply(query, values); url.search = query.toString(); },
    });
  }
  params.set(url, query);
  return query;
};
if (!('searchParams' in URL.prototype))
  defineProperty(URL.prototype, 'searchParams', {
    get() { return follow(this); }, enumerable: true, configurable: true,
  });
delete globalThis.performance;
})()`;
