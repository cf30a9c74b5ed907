// Rows that hold all words of the search are shown; formula and meaning count, too.
const search = document.getElementById("search");
const rows = [...document.querySelectorAll("#claim-table tbody tr")];
const texts = rows.map((row) => `${row.textContent} ${row.dataset.words}`.toLowerCase());
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  rows.forEach((row, index) => {
    const match = words.every((word) => texts[index].includes(word));
    row.hidden = !match;
    shown += match;
  });
  document.getElementById("shown").textContent = `${shown} shown`;
});
