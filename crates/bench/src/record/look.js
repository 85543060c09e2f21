// Looks at the page as a reader does, and tells the frame around it what is wrong.
document.querySelectorAll("details").forEach(details => { details.open = true; });
const problems = [];
const box = element => element.getBoundingClientRect();
const name = element => (element.closest("article")?.querySelector("h3") ?? element).textContent.slice(0, 60);
const rgb = colour => colour.match(/[\d.]+/g).map(Number);
const luminance = colour => {
  const [r, g, b] = rgb(colour).map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const back = luminance(getComputedStyle(document.body).backgroundColor);
const contrast = colour => {
  const [low, high] = [luminance(colour), back].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
if (document.documentElement.scrollWidth > innerWidth) problems.push("the page scrolls sideways");
// On a desktop no column is cut; on a phone tables scroll by themselves.
for (const table of innerWidth >= 1280 ? document.querySelectorAll(".wide") : []) {
  if (table.scrollWidth > table.clientWidth) problems.push(`cut columns: ${name(table)}`);
}
for (const svg of document.querySelectorAll("svg")) {
  const frame = box(svg);
  if (!svg.querySelector("circle") || frame.width < 200) problems.push(`no figure: ${name(svg)}`);
  const texts = [...svg.querySelectorAll("text")].filter(text => text.textContent);
  texts.forEach((text, at) => {
    const a = box(text);
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.bottom > frame.bottom + 1) problems.push(`cut: ${text.textContent}, ${name(svg)}`);
    for (const other of texts.slice(at + 1)) {
      const b = box(other);
      const [x, y] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
      if (x > 1 && y > 3) problems.push(`overlap: ${text.textContent} and ${other.textContent}, ${name(svg)}`);
    }
    if (box(text).height < 9 && box(text).width < 9) problems.push(`small: ${text.textContent}, ${name(svg)}`);
    if (contrast(getComputedStyle(text).fill) < 4.5) problems.push(`faint: ${text.textContent}`);
  });
  for (const line of svg.querySelectorAll("polyline, circle, polygon, .one")) {
    if (contrast(getComputedStyle(line).stroke) < 3) problems.push(`faint line, ${name(svg)}`);
  }
}
for (const element of document.querySelectorAll("p, li, th, td, b, small, a, h1, h2, h3, summary, sup, code")) {
  const style = getComputedStyle(element);
  if (contrast(style.color) < 4.5) problems.push(`faint: ${element.textContent.slice(0, 40)}`);
  if (parseFloat(style.fontSize) < 11) problems.push(`small: ${element.textContent.slice(0, 40)}`);
}
parent.postMessage(problems.length ? problems.slice(0, 20).join("; ") : "no problems", "*");
