/** Lists the newest deliveries first and refreshes every second. Event texts are never parsed as HTML. */
export const DEMO_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Penstock demo</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1b2430 }
  h1 { font-size: 1.4rem; margin-bottom: 0 }
  p { color: #5a6675; margin-top: .25rem }
  li { list-style: none; border: 1px solid #d8dee6; border-radius: 8px; margin: 1rem 0; padding: .75rem 1rem }
  ul { padding: 0 }
  pre { margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem }
  time { color: #5a6675; float: right }
</style>
</head>
<body>
<h1>Deliveries to the demo application</h1>
<p id="state">Waiting for the first event …</p>
<ul id="deliveries"></ul>
<script>
  const list = document.getElementById('deliveries');
  const state = document.getElementById('state');
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const item = (delivery) => {
    const entry = document.createElement('li');
    entry.append(element('time', delivery.timestamp), element('strong', delivery.type));
    entry.append(element('pre', JSON.stringify(delivery, null, 2)));
    return entry;
  };
  let shown = '';
  const look = async () => {
    try {
      const { deliveries } = await (await fetch('/demo/deliveries')).json();
      const text = JSON.stringify(deliveries);
      if (text !== shown && deliveries.length > 0) {
        state.textContent = deliveries.length + (deliveries.length === 1 ? ' event' : ' events') + ' delivered';
        list.replaceChildren(...deliveries.slice(-50).reverse().map(item));
        shown = text;
      }
    } catch {
      state.textContent = 'Penstock does not answer; trying again …';
    }
    setTimeout(look, 1000);
  };
  look();
</script>
</body>
</html>
`;
