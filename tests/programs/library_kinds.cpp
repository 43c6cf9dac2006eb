/* Values of C++'s library. */
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

int main()
{
    std::string text = "plum";
    std::vector<int> numbers{ 3, 1, 2 };
    std::map<int, int> prices{ { 7, 70 } };
    std::unordered_map<int, std::string> names{ { 1, "one" }, { 2, "two" } };
    std::vector<std::pair<int, int>> pairs{ { 1, 10 }, { 0, 20 } };
    std::pair<int, char> pair{ 5, 'p' };
    const int &first = numbers[0];
    std::printf("%s %d %zu %d\n", text.c_str(), first, prices.size() + names.size(), pair.first); /* mark: look */
    return 0;
}
